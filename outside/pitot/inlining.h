/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What debug information (DWARF, libdw) says of functions and symbols do not: a compiler may put a
 * function's code into its callers, who then call nothing, and may leave out arguments that are not
 * needed. Called by outside/pitot/allocators.c.
 */
#pragma once

#include "outside/pitot/kernel.h"

/* Rust's Layout, as an argument: two registers in the order of its members, which rustc chooses. */
enum inlining_layout { LAYOUT_NOT_KNOWN, LAYOUT_SIZE_FIRST, LAYOUT_SIZE_LAST };

struct inlining {
    uint64_t entry; /* of the function, in the file */
    bool described; /* it is found */
    bool changed;   /* it does not take its arguments as the calling convention says */
    enum inlining_layout layout;
    unsigned copies; /* of its code, elsewhere */
    uint64_t copy;   /* where the first of them is */
};

/*
 * Completes what is known of each function in the array, whose elements are `size` bytes apart.
 * `is_own`: copies in code at this address do not count.
 */
void inlining_read(const struct kernel *kernel, struct inlining *first, size_t count, size_t size,
                   bool (*is_own)(uint64_t address, const void *own), const void *own);
