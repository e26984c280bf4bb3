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

/* Hits that found no room in the tables of all CPUs. */
uint64_t tally_lost(const struct tally *tally);
