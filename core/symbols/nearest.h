/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The distance between two names, in typing errors, and the names nearest to a wrong one. A few
 * hundred bytes of stack.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DISTANCE_LENGTH_MAX 64 /* characters compared */

/* Returns how many characters of `name` are compared, at most DISTANCE_LENGTH_MAX. */
size_t distance_length(const char *name);

/*
 * Returns the number of characters inserted, omitted, replaced or swapped with a neighbour: the
 * Damerau-Levenshtein distance, with no position edited twice. Both lengths are at most
 * DISTANCE_LENGTH_MAX.
 */
uint8_t distance(const char *a, size_t a_length, const char *b, size_t b_length);

#define NEAREST_MOST 16 /* even if the caller asks for more */

/* Returns the name at `index` of the list `of`; NULL past the end. */
typedef const char *nearest_name_at(const void *of, size_t index);

/* Stores the indices of up to `most` names nearest to `wrong`, nearest first. Returns how many. */
size_t nearest_find(const char *wrong, nearest_name_at *name_at, const void *of, size_t *nearest,
                    size_t most);
