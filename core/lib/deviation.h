/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A number that was measured several times: its mean, and by how much that may be off, as `perf
 * stat -r` says it, in whole numbers. Each value is kept as its distance from the first, so that
 * sums of squares have room: distances beyond 2^53 count as that. Pure; any context but a hit's.
 */
#pragma once

#include <stdint.h>

#define DEVIATION_RUNS_MAX 1000 /* values; for more the sums have no room */

/* All 0 at first. */
struct deviation {
    uint64_t count, first, sum;
    int64_t distances;
    unsigned __int128 squares; /* of the distances */
};

void deviation_add(struct deviation *deviation, uint64_t value);

/* Rounded; 0 of nothing. */
uint64_t deviation_mean(const struct deviation *deviation);

/* The standard deviation of the mean: that of the values divided by the root of how many. Rounded
 * down; 0 of fewer than two values. */
uint64_t deviation_of_mean(const struct deviation *deviation);

/* The same in hundredths of a percent of the mean, rounded; 0 where the mean is. */
uint64_t deviation_percent(const struct deviation *deviation);
