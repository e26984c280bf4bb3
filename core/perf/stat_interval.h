/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf stat -I MS`: what was counted in each interval, printed while the command runs, by a thread
 * of its own; the last, shorter one by the thread that ran the command. docs/perf.md tells of it.
 */
#pragma once

#include <stdint.h>

#include "core/perf/options.h"

/*
 * Makes the thread, if these options need it and it does not exist. 0, or a negative errno and the
 * reason. Task context, before the workload's threads are followed.
 */
int interval_prepare(const struct perf_options *options, struct refusal *why);

/*
 * The recording has begun at `now` (arch_clock_ns). Without effect unless -I was given. Task
 * context.
 */
void interval_begin(const struct perf_options *options, uint64_t now);

/* The recording is about to end: from here on the thread does not read it. Task context. */
void interval_stop(void);

/* The recording has just ended: prints what came since the last print. Task context. */
void interval_end(const struct perf_options *options);

/* Checks whether an interval is over. Called by the tick, in interrupt context. */
void interval_tick(void);

/* A count in the columns of `perf stat`, without the line's end. Task context. */
void stat_print_count(const struct event_spec *event, uint64_t count);
