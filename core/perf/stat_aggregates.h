/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the events' aggregates for `perf stat` and `perf record`. Task context. */
#pragma once

#include "core/perf/options.h"

/* Allocates memory to sort the events' aggregates in. */
int aggregates_prepare(const struct perf_options *options, struct refusal *why);

/* Adds the aggregates of the recording that has ended to those of earlier runs. */
void aggregates_add(void);

/* Prints the sums and frees the memory. */
void aggregates_print(const struct perf_options *options);

/* Prints the hits between the last two marks (recording_count, aggregates_mark). */
void aggregates_print_interval(const struct perf_options *options);

/* Marks the aggregates of the recording that has ended. */
void aggregates_mark(void);
