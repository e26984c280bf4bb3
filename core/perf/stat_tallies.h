/* SPDX-License-Identifier: BSD-2-Clause */
/* What `perf stat` and `perf record` print of their events' tallies. Task context. */
#pragma once

#include "core/perf/options.h"

/*
 * Takes the memory for sorting, if any of these events has a tally. Returns 0, or -ENOMEM and the
 * reason.
 */
int tallies_prepare(const struct perf_options *options, struct refusal *why);

/* Adds those of the recording that has just ended to those of the runs before. */
void tallies_add(void);

/* Prints what has been added, and gives the memory back. */
void tallies_print(const struct perf_options *options);

/* Prints what came between the last two marks (recording_count, tallies_mark). */
void tallies_print_interval(const struct perf_options *options);

/* A mark of the recording that has just ended. */
void tallies_mark(void);
