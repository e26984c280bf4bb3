/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk along a sample's call chain. Called by the readers of recordings (report, script, and the
 * report of a panic): any context, no lock, no allocation.
 */
#include "core/sample/chain_walk.h"

#include "core/lib/assert.h"

void chain_walk_start(struct chain_walk *walk, const struct sample_view *view, bool caller,
                      size_t most)
{
    assert(most <= CHAIN_WALK_MOST);
    *walk = (struct chain_walk){
        .chain = view->chain, .length = view->chain_length, .most = most, .caller = caller};
}

bool chain_walk_next(struct chain_walk *walk, uint64_t *address)
{
    while (walk->seen < walk->length && walk->given < walk->most) {
        size_t index = walk->caller ? walk->length - 1 - walk->seen : walk->seen;
        walk->seen++;
        if (walk->chain[index] >= (uint64_t)PERF_CONTEXT_MAX)
            continue;
        walk->given++;
        *address = walk->chain[index];
        return true;
    }
    return false;
}
