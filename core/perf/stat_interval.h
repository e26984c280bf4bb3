/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf stat -I MS`: a thread prints the counts of each interval while the command runs. The thread
 * that ran the command prints the last, shorter interval. Task context, except the tick.
 */
#pragma once

#include <stdint.h>

#include "core/perf/options.h"

/* Creates the thread if the options need it. Called before the workload's threads are followed. */
int interval_prepare(const struct perf_options *options, struct refusal *why);

/*
 * Called when the recording begins. `now`: that time (arch_clock_ns). Like interval_end, it has no
 * effect without -I.
 */
void interval_begin(const struct perf_options *options, uint64_t now);

/* Called before the recording ends. On return the thread no longer reads the recording. */
void interval_stop(void);

/* Called after the recording has ended. Prints the counts since the last print. */
void interval_end(const struct perf_options *options);

/* Wakes the thread if an interval is over. Interrupt context. */
void interval_tick(void);

/* Prints a count in the columns of `perf stat`, without a newline. */
void stat_print_count(const struct event_spec *event, uint64_t count);
