/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common part of `perf record` and `perf stat`: turns arguments into armed events, and ends the
 * recording. Task context, one command at a time.
 */
#pragma once

#include "core/perf/options.h"

/*
 * Parses the arguments, and checks that they can be satisfied before anything is armed. `at_boot`:
 * the boot is the workload. Returns options that are constant until the next call, or NULL with the
 * reason in `why` and its errno in *error.
 */
const struct perf_options *session_prepare(int argc, char **argv, bool at_boot, int *error,
                                           struct refusal *why);

/* Arms the prepared events; may be repeated. Returns 0, or a negative errno and the reason. */
int session_begin(struct refusal *why);
void session_end(void);

/* Returns the `branches` event, or NULL if there is none. */
const struct event_spec *session_stepping(void);

/*
 * Reports CPUs that missed hits because their watches were disarmed: counts and samples are too
 * low.
 */
void session_print_lapses(const char *command);

/* Periodic work while events are armed: streaming and printing. Called from the boot CPU's tick. */
void session_tick(void);

/* Limits each event to `most` samples per second; 0: no limit. Boot. */
void session_set_rate(uint64_t most);

/*
 * Runs the workload to completion and returns its status; without a workload, waits for ^C.
 * Meanwhile the workload's threads are followed (host.follow), and the thread that runs it is
 * stepped if an event needs branches.
 */
int workload_run(void);
