/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces kernel/x86_64/own.h where a ring is measured without the clock: its clock stands still,
 * and the rest is that file's.
 */
#pragma once

#define arch_clock_ns arch_clock_that_runs
#include "kernel/x86_64/own.h"
#undef arch_clock_ns

static inline uint64_t arch_clock_ns(void)
{
    return 0;
}
