/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every hit asks the kernel, in line; INLINE of lib.mk names a header of the kernel's to take
 * its place. This one asks the members of struct pitot_kernel. Any context.
 */
#pragma once

#include "core/host.h"

/* This CPU, from 0; below CPUS of lib.mk. */
static inline unsigned pitot_cpu(void)
{
    return EMBED_CPUS > 1 ? host.cpu() : 0;
}

/* Nanoseconds; one monotonic clock for all CPUs. */
static inline unsigned long long pitot_clock(void)
{
    return host.clock();
}
