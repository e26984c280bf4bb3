/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the events' tallies for `perf stat` and `perf record`. Task context. */
#pragma once

#include "core/perf/options.h"

/* Allocates memory to sort the events' tallies in. Returns 0, or -ENOMEM and the reason. */
int tallies_prepare(const struct perf_options *options, struct refusal *why);

/* Adds the tallies of the recording that has ended to those of earlier runs. */
void tallies_add(void);

/* Prints the sums and frees the memory. */
void tallies_print(const struct perf_options *options);

/* Prints the hits between the last two marks (recording_count, tallies_mark). */
void tallies_print_interval(const struct perf_options *options);

/* Marks the tallies of the recording that has ended. */
void tallies_mark(void);
