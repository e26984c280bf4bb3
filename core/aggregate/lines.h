/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of all CPUs' tables as lines, one for each key and part (histogram bucket). The
 * lines of a key are adjacent; the key with the most hits comes first. Task context; while hits
 * arrive, counts may be slightly out of date.
 */
#pragma once

#include <stddef.h>

#include "core/aggregate/aggregate.h"

struct aggregate_line {
    struct aggregate_key key;
    uint64_t count;
    uint64_t of_key; /* sum over all lines of this key */
};

static inline bool aggregate_same_key(const struct aggregate_line *one,
                                      const struct aggregate_line *other)
{
    return one->key.words[0] == other->key.words[0] && one->key.words[1] == other->key.words[1];
}

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
