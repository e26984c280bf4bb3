/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf record --verify-chain`: makes each chain by both methods; requires UNWINDER=fp. */
#pragma once

#include "core/unwind/unwind.h"

struct sink;

/* Arrays are indexed by enum unwind_method. */
struct verify_difference {
    uintptr_t ip;   /* where the sample was taken */
    unsigned frame; /* the first frame that differs; frame 0 is the sample's ip */
    /* The frame's address, or 0 if that chain has ended; its kind; why the chain ended. */
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

/* Compares the chains and counts the result. Any context of this CPU. */
void verify_chain(const struct regs *regs);

/* Prints how many chains agree and where the first differs, in one or two lines. Task context. */
void verify_chain_print(struct sink *sink);
