/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf record --verify-chain`: each sample's chain is made both ways, by the table and by frame
 * pointers, frame against frame. Only a kernel that has both (UNWINDER=fp) can.
 */
#pragma once

#include "core/perf/unwind.h"

struct verify_difference {
    uintptr_t ip;                        /* where the sample was taken */
    unsigned frame;                      /* the first that differs, the sample's own being 0 */
    uintptr_t by[UNWIND_METHODS];        /* its address either way; 0 where that chain has ended, */
    enum unwind_end end[UNWIND_METHODS]; /* and why */
};

struct verify_counts {
    uint64_t chains, differ;
    struct verify_difference first; /* if any differ */
};

/* Task context, with nothing recorded meanwhile. */
void verify_chain_reset(void);
struct verify_counts verify_chain_counts(void);

/* Compares and counts. Any context of this CPU. */
void verify_chain(const struct regs *regs);
