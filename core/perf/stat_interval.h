/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf stat -I MS`: prints the counts of each interval while the command runs. A separate thread
 * prints them, except for the last, shorter interval, which the thread that ran the command prints.
 * See docs/perf.md.
 */
#pragma once

#include <stdint.h>

#include "core/perf/options.h"

/*
 * Creates the thread if these options need it and it does not exist yet. Returns 0, or a negative
 * errno and the reason. Task context, before the workload's threads are followed.
 */
int interval_prepare(const struct perf_options *options, struct refusal *why);

/*
 * Called when the recording has begun, at `now` (arch_clock_ns). No effect unless -I was given.
 * Task context.
 */
void interval_begin(const struct perf_options *options, uint64_t now);

/*
 * Called when the recording is about to end; afterwards the thread does not read it. Task context.
 */
void interval_stop(void);

/*
 * Called when the recording has just ended: prints the counts since the last print. Task context.
 */
void interval_end(const struct perf_options *options);

/* Checks whether an interval is over. Called by the tick, in interrupt context. */
void interval_tick(void);

/* Prints a count in the columns of `perf stat`, without a newline. Task context. */
void stat_print_count(const struct event_spec *event, uint64_t count);
