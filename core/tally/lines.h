/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of all CPUs' tables as lines, one for each key and part (histogram bucket). The
 * lines of a key are adjacent, and the key with the most hits comes first. Task context; counts may
 * be slightly out of date while hits arrive.
 */
#pragma once

#include <stddef.h>

#include "core/tally/tally.h"

struct tally_line {
    struct tally_key key;
    uint64_t count;
    uint64_t of_key; /* sum over all lines of this key */
};

/* Maximum number of lines; tally_lines needs room for that many. */
size_t tally_lines_most(void);

/* Stores the lines and returns their number. */
size_t tally_lines(const struct tally *tally, struct tally_line *lines);

/* Same, for hits between the last two marks (tally_mark). */
size_t tally_lines_marked(const struct tally *tally, struct tally_line *lines);

/* Sums over one or more recordings. `lines` has room for `most` lines plus tally_lines_most(). */
struct tally_sums {
    struct tally_line *lines;
    size_t count, most;
    uint64_t lost;   /* hits that found no room in a CPU's table */
    uint64_t beyond; /* hits of lines beyond `most` */
    struct span_sums spans;
    uint64_t runs;
};

/* Adds the contents of the tables. */
void tally_sums_add(struct tally_sums *sums, const struct tally *tally);
