/* SPDX-License-Identifier: BSD-2-Clause */
/* Hints for record and stat, where a user would conclude that nothing happened. Task context. */
#pragma once

#include "core/recording/recording.h"

/* Once the events are armed: functions watched as data; breakpoint:hit if nothing is watched. */
void record_hints_watches(const char *command, const struct recording_options *recording);

/* After the run: a profile with fewer samples than requested, or not of all code. */
void record_hints_clock(const struct recording_options *recording);
