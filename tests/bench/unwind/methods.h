/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measured methods of getting a call chain's addresses. Besides this kernel's own, those that a
 * program on Linux has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bench/unwind/chain.h"

struct method {
    const char *name;
    chain_run *run; /* the chain it is for */
    /*
     * Stores the addresses, innermost first; returns how many. `regs` is the bottom's snapshot. A
     * method that ignores it begins in itself, and the functions between there and the bottom come
     * first.
     */
    size_t (*capture)(const struct regs *regs, uint64_t *addresses, size_t most);
    const char *missing; /* NULL, or why it is not measured */
};

/* The method that the others' frames are compared with. */
#define METHOD_BASELINE "frame pointers, checked"

extern const struct method *const methods[];
extern const size_t method_count;

/* Defined by each file. */
extern const struct method method_unchecked, method_checked, method_pitot_framed, method_pitot_fp;
extern const struct method method_pitot, method_pitot_dense, method_sorted_rows;
extern const struct method method_libgcc, method_unw_step, method_unw_backtrace;

/* Must succeed before anything is captured. */
bool bench_stack_init(void);
bool bench_sorted_rows_init(void);
