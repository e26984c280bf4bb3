/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of CPUs from core/embed/lib.mk; replaces arch/x86_64/cpu/count.h. */
#pragma once

#define ARCH_CPUS_MAX EMBED_CPUS
