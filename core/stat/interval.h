/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf stat -I MS`: what was counted in each interval, printed while the command runs, by a thread
 * of its own; the last, shorter one by the thread that ran the command. docs/perf.md tells of it.
 */
#pragma once

#include <stdint.h>

#include "core/option/record.h"

/*
 * Makes the thread, if these options want one and there is none. 0, or a negative errno and the
 * reason. Task context, before the workload's threads are followed.
 */
int interval_prepare(const struct perf_options *options, struct refusal *why);

/*
 * The recording has begun, at that time of arch_clock_ns; nothing unless -I was said. Task context.
 */
void interval_begin(const struct perf_options *options, uint64_t now);

/* The recording is about to end: the thread does not look at it any more. Task context. */
void interval_stop(void);

/* It has just ended: prints what came since the last print. Task context. */
void interval_end(const struct perf_options *options);

/* Looks whether an interval is over. The tick: interrupt context. */
void interval_tick(void);
