/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's command: running it, and which hits are its own. Task context. */
#pragma once

#include "core/option/record.h"

/*
 * Marks the events that take the workload's hits alone: all, unless the options say otherwise.
 * Branches follow its thread in any case, and -p names the thread that is meant.
 */
void workload_follow(struct perf_options *options);

/*
 * Runs it to its end and returns its status; without one, waits for ^C. Its threads are followed
 * meanwhile (task_followed), and its own is stepped where an event wants branches.
 */
int workload_run(const struct perf_options *options);
