/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf record --verify-chain`: makes each chain by both methods; requires UNWINDER=fp. */
#pragma once

#include "core/unwind/unwind.h"

struct sink;

/* Arrays are indexed by enum unwind_method. */
struct verify_difference {
    uintptr_t ip;   /* where the sample was taken */
    unsigned frame; /* index of the first frame that differs; frame 0 is the sample's ip */
    /*
     * For each method: the frame's address (0 if the chain has ended), the frame's kind, and why
     * the chain ended.
     */
    uintptr_t by[UNWIND_METHODS];
    enum unwind_kind kind[UNWIND_METHODS];
    enum unwind_end end[UNWIND_METHODS];
};

struct verify_counts {
    uint64_t chains, differ;
    struct verify_difference first; /* valid if differ > 0 */
};

/* Task context, while nothing is recorded. */
void verify_chain_reset(void);
struct verify_counts verify_chain_counts(void);

/* Makes the chain by both methods, compares the two and counts the result. Any context. */
void verify_chain(const struct regs *regs);

/* Prints how many chains agree and where the first differs, in one or two lines. Task context. */
void verify_chain_print(struct sink *sink);
