/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of arch/x86_64/cpu/inline.h where a ring is measured without the clock: one that stands
 * still, and the rest of that file. Found by the Makefile's -Itests/bench/ring/still.
 */
#pragma once

#define arch_clock_ns arch_clock_that_runs
#include_next "arch/x86_64/cpu/inline.h"
#undef arch_clock_ns

static inline uint64_t arch_clock_ns(void)
{
    return 0;
}
