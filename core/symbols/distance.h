/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How different two names are, counted in typing errors. For code that refuses a name and suggests
 * others. No side effects; any context, some hundred bytes of stack.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DISTANCE_LENGTH_MAX 64 /* characters that are compared */

/* The number of characters of `name` that are compared: a longer name is cut. */
size_t distance_length(const char *name);

/*
 * How many characters were inserted, left out, replaced or swapped with their neighbour: Damerau
 * and Levenshtein's distance, no place edited twice. Both lengths must be at most
 * DISTANCE_LENGTH_MAX.
 */
uint8_t distance(const char *a, size_t a_length, const char *b, size_t b_length);
