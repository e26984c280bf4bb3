/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mean and deviation of a repeated measurement, as `perf stat -r` prints them, in integers. Sums
 * distances from the first value, so that the squares do not overflow; a distance above 2^53 counts
 * as 2^53. Pure; any context except a hit.
 */
#pragma once

#include <stdint.h>

#define DEVIATION_RUNS_MAX 1000 /* values; more could overflow the sums */

/* Must be zero-initialised. */
struct deviation {
    uint64_t count, first, sum;
    int64_t distances;
    unsigned __int128 squares; /* sum of the squared distances */
};

void deviation_add(struct deviation *deviation, uint64_t value);

/* Returns the mean, rounded; 0 if there are no values. */
uint64_t deviation_mean(const struct deviation *deviation);

/* Returns the standard deviation of the mean, rounded down; 0 for fewer than two values. */
uint64_t deviation_of_mean(const struct deviation *deviation);

/* Returns the same in hundredths of a percent of the mean, rounded; 0 if the mean is 0. */
uint64_t deviation_percent(const struct deviation *deviation);
