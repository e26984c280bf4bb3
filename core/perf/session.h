/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf record` and `perf stat` do alike: from their words to events that are armed, and the
 * end of them. Task context, one command at a time.
 */
#pragma once

#include "core/perf/options.h"

/*
 * Reads the words, and looks whether what they ask for can be had before anything is armed;
 * `at_boot`: the boot is the workload. NULL and the reason in `why`, its errno in *error. What is
 * returned is constant until the next call.
 */
const struct perf_options *session_prepare(int argc, char **argv, bool at_boot, int *error,
                                           struct refusal *why);

/* Arms what was prepared; may be done again. 0, or a negative errno and the reason. */
int session_begin(struct refusal *why);
void session_end(void);

/* The event of branches among them; NULL: there is none. */
const struct event_spec *session_stepping(void);

/* Watches that were off have missed hits: says so where counts and samples are too few. */
void session_print_lapses(const char *command);

/* What is to be done while they are armed: streamed, printed. The boot CPU's tick. */
void session_tick(void);

/* A rate that no event exceeds: samples a second; 0: as many as they can. Boot. */
void session_set_rate(uint64_t most);

/*
 * Runs the workload to its end and returns its status; without one, waits for ^C. Its threads are
 * followed meanwhile (host.follow), and its own is stepped if an event needs branches.
 */
int workload_run(void);
