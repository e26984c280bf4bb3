/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each hit asks the sample kernel, in line: INLINE of core/embed/lib.mk, in place of the
 * members `cpu` and `clock` of struct pitot_kernel. Any context.
 */
#pragma once

/* struct cpu of ports/c/kernel.h begins with the number, and GS points to it. */
static inline unsigned pitot_cpu(void)
{
    unsigned number;

    __asm__("movl %%gs:0, %0" : "=r"(number));
    return number;
}

static inline unsigned long long pitot_clock(void)
{
    unsigned long long low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return high << 32 | low;
}
