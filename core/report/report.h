/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf report` in the kernel: the text that the real perf prints for the same recording with `perf
 * report --stdio --no-children --no-inline -g caller,0.5 -F overhead,sample,sym` (or callee, or
 * another threshold, or other keys after sample), line for line below the header comments. Task
 * context.
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
    bool dump;      /* no report: each record, byte for byte (core/script/dump.h) */
    bool last_boot; /* the recording that a reset has left, in place of this boot's */
    bool callgraph; /* print call graphs (where the samples have chains) */
    bool fractal;   /* per cent of the caller's, not of the event's (-g fractal) */
    bool caller;    /* outermost caller first (-g caller); else the hit first (-g callee) */

    /* What hits are told apart by; chains below them. At least one. */
    struct report_keys keys;

    unsigned max_stack; /* so many addresses of a chain count; CHAIN_WALK_MOST: all */

    /*
     * Branches with less are left out, of the event's total or, if fractal, of their siblings':
     * 1/10000 per cent, 0 to 100 per cent.
     */
    uint32_t threshold;
};

/* 0, or -EINVAL with the reason: a key of --sort is no field of any event's. */
int report_possible(const struct record_source *source, const struct report_options *options,
                    struct refusal *why);

/*
 * Works in `memory`, which it lays out as it likes. 0, or -ENOMEM (having said how much it could
 * take in and what to do) or -ENODATA (having said that there are no samples).
 */
int report_print(struct sink *sink, struct record_source *source,
                 const struct report_options *options, void *memory, size_t size);
