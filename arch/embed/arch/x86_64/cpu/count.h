/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maximum number of CPUs as configured in core/embed/lib.mk; replaces arch/x86_64/cpu/count.h.
 */
#pragma once

#define ARCH_CPUS_MAX EMBED_CPUS
