/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of a sample's call chain in the order in which a reader wants them, the
 * PERF_CONTEXT_* markers left out. As in perf, not more than so many of them, counted from the end
 * that comes first. Pure: any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sample/view.h"

struct chain_walk {
    const uint64_t *chain;
    size_t length, seen; /* entries, markers included */
    size_t given, most;  /* addresses */
    bool caller;
};

#define CHAIN_WALK_MOST PERF_MAX_STACK_DEPTH /* of `most` */

/* caller: outermost caller first; else the hit first. */
void chain_walk_start(struct chain_walk *walk, const struct sample_view *view, bool caller,
                      size_t most);

/* False at the end. */
bool chain_walk_next(struct chain_walk *walk, uint64_t *address);
