/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A number that was measured several times: its mean, and the deviation of the mean, as `perf stat
 * -r` prints them, in whole numbers. Each value is kept as its distance from the first one, so that
 * sums of squares have room; greater distances count as 2^53. No side effects; any context except a
 * hit.
 */
#pragma once

#include <stdint.h>

#define DEVIATION_RUNS_MAX 1000 /* values; the sums have no room for more */

/* All 0 at first. */
struct deviation {
    uint64_t count, first, sum;
    int64_t distances;
    unsigned __int128 squares; /* of the distances */
};

void deviation_add(struct deviation *deviation, uint64_t value);

/* Rounded; 0 if there are no values. */
uint64_t deviation_mean(const struct deviation *deviation);

/*
 * The standard deviation of the mean: that of the values, divided by the root of their number.
 * Rounded down; 0 for fewer than two values.
 */
uint64_t deviation_of_mean(const struct deviation *deviation);

/* The same in hundredths of a percent of the mean, rounded; 0 if the mean is 0. */
uint64_t deviation_percent(const struct deviation *deviation);
