/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hints of `perf record` and `perf stat` where a user might wrongly conclude that nothing happened.
 * Task context.
 */
#pragma once

#include "core/recording/recording.h"

/*
 * Called once the events are armed. Reports functions that are watched as data, breakpoint:hit
 * without a breakpoint, and a machine that miscounts.
 */
void record_hints_watches(const char *command, const struct recording_options *recording);

/* True if the machine miscounts hits of the event's watch. */
bool record_hints_miscounts(const struct event_spec *event);

/* Called after the run. Reports a profile with fewer samples than requested, or not of all code. */
void record_hints_clock(const struct recording_options *recording);
