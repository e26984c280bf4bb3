/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all CPUs have in their tables, as lines: one for each key and part, those of one key
 * together, and the key with the most hits first. Task context; while hits come, each count is of a
 * moment ago.
 */
#pragma once

#include <stddef.h>

#include "core/tally/tally.h"

struct tally_line {
    struct tally_key key;
    uint64_t count;
    uint64_t of_key; /* of all lines of this key */
};

/* The most that there may be: room for so many is what tally_lines takes. */
size_t tally_lines_most(void);

/* Returns how many there are. */
size_t tally_lines(const struct tally *tally, struct tally_line *lines);

/* Hits that found no room, on all CPUs. */
uint64_t tally_lost(const struct tally *tally);
