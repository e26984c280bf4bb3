/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf record --verify-chain`: each sample's chain is made both ways, by the table and by frame
 * pointers, and compared frame by frame. Only possible in a kernel that has both (UNWINDER=fp).
 */
#pragma once

#include "core/unwind/unwind.h"

struct sink;

/* Arrays are by enum unwind_method. */
struct verify_difference {
    uintptr_t ip;   /* where the sample was taken */
    unsigned frame; /* the first frame that differs; the sample's own place is frame 0 */
    /* its address by each method, or 0 if that chain has ended; its kind; why it has ended */
    uintptr_t by[UNWIND_METHODS];
    enum unwind_kind kind[UNWIND_METHODS];
    enum unwind_end end[UNWIND_METHODS];
};

struct verify_counts {
    uint64_t chains, differ;
    struct verify_difference first; /* if any differ */
};

/* Task context, while nothing is recorded. */
void verify_chain_reset(void);
struct verify_counts verify_chain_counts(void);

/* Compares and counts. Any context of this CPU. */
void verify_chain(const struct regs *regs);

/* How many agree and where the first does not, in a line or two for a person. Task context. */
void verify_chain_print(struct sink *sink);
