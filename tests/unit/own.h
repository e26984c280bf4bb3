/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See arch/own.h. On the host nothing of arch/cpu.h is inline: each program has its own CPU, in
 * fake_arch.c or a function of its own.
 */
#pragma once

#define ARCH_CPUS_MAX          64
#define RECORDING_EVENTS_MAX   96
#define RECORDING_RING_DEFAULT (1024u * 1024)
#define ARCH_USER_START        ((uintptr_t)0x110000)
#define ARCH_USER_END          ((uintptr_t)0x7ffffffff000)
