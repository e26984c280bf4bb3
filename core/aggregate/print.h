/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregates as text. The contents of all CPUs' tables become lines, one for each key and part
 * (histogram bucket). The lines of a key are adjacent; the key with the most hits comes first. Task
 * context; while hits arrive, counts may be slightly out of date.
 */
#pragma once

#include <stddef.h>

#include "core/aggregate/aggregate.h"
#include "core/lib/print.h"

struct aggregate_line {
    struct aggregate_key key;
    uint64_t count;
    uint64_t of_key; /* sum over all lines of this key */
};

size_t aggregate_lines_most(void);

/*
 * Stores the lines of the hits between the last two marks. Returns their number, at most
 * aggregate_lines_most().
 */
size_t aggregate_lines_marked(const struct aggregate *aggregate, struct aggregate_line *lines);

/*
 * Lines summed up over several recordings. `lines` has room for `most` lines plus
 * aggregate_lines_most().
 */
struct aggregate_sums {
    struct aggregate_line *lines;
    size_t count, most;
    uint64_t lost;   /* hits that found no room in a CPU's table */
    uint64_t beyond; /* hits of lines beyond `most` */
    struct span_sums spans;
    uint64_t runs;
};

void aggregate_sums_add(struct aggregate_sums *sums, const struct aggregate *aggregate);

void aggregate_print(struct sink *sink, const char *event, const struct aggregate *aggregate,
                     const struct aggregate_sums *sums);

/* Called after the last interval: prints the hits that no interval's lines include, if any. */
void aggregate_print_rest(struct sink *sink, const char *event, const struct aggregate *aggregate,
                          const struct aggregate_sums *sums);
