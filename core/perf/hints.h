/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording cannot see, said on the console where a person would otherwise believe that
 * nothing happened. Called by `perf record` and `perf stat`; task context.
 */
#pragma once

#include "core/recording/recording.h"

/* Before it runs: functions that are watched as data, and the event that has their calls. */
void record_hints_code(const char *command, const struct recording_options *recording);

/* Once it is armed: breakpoint:hit, where nothing is watched. */
void record_hints_watches(const char *command, const struct recording_options *recording);

/* When it has ended: a profile that has fewer samples than were asked for, or not of all code. */
void record_hints_clock(const struct recording_options *recording);
