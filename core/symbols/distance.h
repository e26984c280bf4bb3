/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far two names lie apart, as typing errors count. For code that refuses a name and says which
 * may have been meant. Pure; any context, some hundred bytes of stack.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DISTANCE_LENGTH_MAX 64 /* characters that are compared */

/* A longer name is compared by its beginning: the length of that. */
size_t distance_length(const char *name);

/*
 * How many characters were inserted, left out, replaced or swapped with their neighbour: Damerau
 * and Levenshtein's distance, no place edited twice. No length is above DISTANCE_LENGTH_MAX.
 */
uint8_t distance(const char *a, size_t a_length, const char *b, size_t b_length);
