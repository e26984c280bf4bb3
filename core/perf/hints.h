/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hints of `perf record` and `perf stat` where a user might wrongly conclude that nothing happened.
 * Task context.
 */
#pragma once

#include "core/recording/recording.h"

/*
 * Called once the events are armed. Reports functions that are watched as data, and breakpoint:hit
 * without a breakpoint.
 */
void record_hints_watches(const char *command, const struct recording_options *recording);

/* Called after the run. Reports a profile with fewer samples than requested, or not of all code. */
void record_hints_clock(const struct recording_options *recording);
