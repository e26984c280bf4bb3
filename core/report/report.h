/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf report` in the kernel. After its first comment lines, the output equals line for line that
 * of the real `perf report --stdio --no-children --no-inline -g caller,0.5 -F overhead,sample,sym`,
 * but with the -g and the keys of `options`. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/report/tree.h"
#include "core/sample/records.h"

struct report_options {
    bool dump;      /* print each record byte for byte instead (core/script/dump.c) */
    bool last_boot; /* read the recording that survived a reset, not this boot's */
    bool callgraph; /* print call graphs, if the samples have chains */
    bool fractal;   /* percentages relative to the caller, not to the event (-g fractal) */
    bool caller;    /* outermost caller first (-g caller); otherwise the hit first (-g callee) */
    struct report_keys keys; /* hits are distinguished by these keys; at least one */
    unsigned max_stack;      /* addresses used per chain; CHAIN_WALK_MOST: all */
    /* Branches below this share of the event (fractal: of siblings) are omitted. In 1/10000 %. */
    uint32_t threshold;
};

/* Works in `memory`. Returns 0, or prints why and returns -ENOMEM or (no samples) -ENODATA. */
int report_print(struct sink *sink, struct record_source *source,
                 const struct report_options *options, void *memory, size_t size);

/* For report_print: prints one event's heading, hits and call graphs. The tree must be sorted. */
void report_print_tree(struct sink *sink, const struct report_tree *tree, const char *event_name,
                       const struct report_options *options);
