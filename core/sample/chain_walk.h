/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Iterates over the addresses of a sample's call chain in the order that the reader wants, without
 * the PERF_CONTEXT_* markers. As in perf, their number can be limited, counted from the end that
 * comes first. No side effects: any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sample/view.h"

struct chain_walk {
    const uint64_t *chain;
    size_t length, seen; /* entries, markers included */
    size_t given, most;  /* addresses: returned so far, and at most */
    bool caller;
};

#define CHAIN_WALK_MOST PERF_MAX_STACK_DEPTH /* the largest `most` */

/* `caller`: the outermost caller comes first; otherwise the address of the hit. */
void chain_walk_start(struct chain_walk *walk, const struct sample_view *view, bool caller,
                      size_t most);

/* False at the end. */
bool chain_walk_next(struct chain_walk *walk, uint64_t *address);
