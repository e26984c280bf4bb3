/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hints on the console about what a recording cannot see, where a user would otherwise conclude
 * that nothing happened. Called by `perf record` and `perf stat`; task context.
 */
#pragma once

#include "core/recording/recording.h"

/*
 * Before the run: reports functions that are watched as data, and the event that counts their
 * calls.
 */
void record_hints_code(const char *command, const struct recording_options *recording);

/* Once the recording is armed: reports breakpoint:hit if nothing is watched. */
void record_hints_watches(const char *command, const struct recording_options *recording);

/* After the recording: reports a profile with fewer samples than requested, or not of all code. */
void record_hints_clock(const struct recording_options *recording);
