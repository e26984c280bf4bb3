/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf record --verify-chain`: each sample's chain is made both ways, by the table and by frame
 * pointers, frame against frame. Only a kernel that has both (UNWINDER=fp) can.
 */
#pragma once

#include "core/unwind/unwind.h"

struct sink;

/* Arrays are by enum unwind_method. */
struct verify_difference {
    uintptr_t ip;   /* where the sample was taken */
    unsigned frame; /* the first that differs, the sample's own being 0 */
    /* its address either way, 0 where that chain has ended; what it is; why it has ended */
    uintptr_t by[UNWIND_METHODS];
    enum unwind_kind kind[UNWIND_METHODS];
    enum unwind_end end[UNWIND_METHODS];
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

/* How many agree and where the first does not, in a line or two for a person. Task context. */
void verify_chain_print(struct sink *sink);
