/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On the host nothing of arch/cpu.h is inline: each program brings its own CPU, fake_arch.c or a
 * function of its own. Found in place of arch/x86_64/cpu/inline.h by the Makefile's HOSTFLAGS.
 */
#pragma once
