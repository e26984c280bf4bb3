/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf report` in the kernel. Below the header comments its output equals, line for line, that of
 * the real `perf report --stdio --no-children --no-inline -g caller,0.5 -F overhead,sample,sym` for
 * the same recording (or with callee, another threshold, or other keys after sample). Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/report/tree.h"
#include "core/sample/records.h"

struct report_options {
    bool dump;      /* print each record byte for byte instead (core/script/dump.h) */
    bool last_boot; /* read the recording that survived a reset, not this boot's */
    bool callgraph; /* print call graphs, if the samples have chains */
    bool fractal;   /* percentages of the caller, not of the event (-g fractal) */
    bool caller;    /* outermost caller first (-g caller); otherwise the hit first (-g callee) */

    /* Keys that distinguish hits; chains come below them. At least one. */
    struct report_keys keys;

    unsigned max_stack; /* addresses used per chain; CHAIN_WALK_MOST: all */

    /*
     * Branches below this share of the event's total, or in fractal mode of their siblings' total,
     * are omitted: 1/10000 per cent, 0 to 100 per cent.
     */
    uint32_t threshold;
};

/* Returns 0, or -EINVAL with the reason: a --sort key is not a field of any event. */
int report_possible(const struct record_source *source, const struct report_options *options,
                    struct refusal *why);

/*
 * Uses `memory` as working space. Returns 0, -ENOMEM (after printing how many samples fitted and
 * what to do) or -ENODATA (after printing that there are no samples).
 */
int report_print(struct sink *sink, struct record_source *source,
                 const struct report_options *options, void *memory, size_t size);
