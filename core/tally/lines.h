/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of all CPUs' tables as lines: one for each key and part, the lines of one key
 * together, and the key with the most hits first. Task context; while hits come, each count is from
 * a moment ago.
 */
#pragma once

#include <stddef.h>

#include "core/tally/tally.h"

struct tally_line {
    struct tally_key key;
    uint64_t count;
    uint64_t of_key; /* sum over all lines of this key */
};

/* The largest possible number of lines: tally_lines needs room for that many. */
size_t tally_lines_most(void);

/* Stores the lines and returns their number. */
size_t tally_lines(const struct tally *tally, struct tally_line *lines);

/* The same of what came between the last two marks (tally_mark). */
size_t tally_lines_marked(const struct tally *tally, struct tally_line *lines);

/*
 * The sums over one recording or several. `lines` has room for `most` and another
 * tally_lines_most().
 */
struct tally_sums {
    struct tally_line *lines;
    size_t count, most;
    uint64_t lost;   /* hits that found no room in a CPU's table */
    uint64_t beyond; /* hits of keys beyond `most` */
    struct span_sums spans;
    uint64_t runs;
};

/* Adds what the tables have. */
void tally_sums_add(struct tally_sums *sums, const struct tally *tally);
