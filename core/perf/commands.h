/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `perf`, and what several of them share. Task context, one at a time. */
#pragma once

#include "core/perf/options.h"
#include "core/pitot_boot.h"

/* argv[0] is the name. On error, each prints the reason and returns a negative errno. */
int perf_list(int argc, char **argv);
int perf_record(int argc, char **argv); /* perf_trace also calls it */
int perf_stat(int argc, char **argv);
int perf_trace(int argc, char **argv);
int perf_report(int argc, char **argv);
int perf_script(int argc, char **argv);

/* `words` of the command `perf`. */
void perf_words(int argc, char **argv);

/* Returns the options of the last `perf record` or `perf trace`; valid until the next command. */
const struct perf_options *perf_record_options(void);

/* --- A session: turns arguments into armed events and a workload. --- */

/* Parses argv. `at_boot`: the boot is the workload. *prepared is constant until the next call. */
int session_prepare(int argc, char **argv, bool at_boot, const struct perf_options **prepared,
                    struct refusal *why);

/* Arms the prepared events; may be repeated. */
int session_begin(struct refusal *why);
void session_end(void);

/* Returns the `branches` event, or NULL. */
const struct event_spec *session_stepping(void);

/* Reports CPUs that missed hits because their watches were found disarmed. */
void session_print_lapses(const char *command);

/* Wakes the threads that stream and print. Called by the boot CPU's tick, in an interrupt. */
void session_tick(void);

/*
 * Runs the workload, which is followed and stepped as the options ask, and returns its status.
 * Without a workload, waits for ^C.
 */
int workload_run(void);

/* --- Hints, where a user might wrongly conclude that nothing happened. --- */

/*
 * Called once the events are armed. Reports functions that are watched as data, breakpoint:hit
 * without a breakpoint, and a machine that miscounts.
 */
void record_hints_watches(const char *command, const struct recording_options *recording);

/* True if the machine miscounts hits of the event's watch. */
bool record_hints_miscounts(const struct event_spec *event);

/* Called after the run. Reports a profile with fewer samples than requested, or not of all code. */
void record_hints_clock(const struct recording_options *recording);

/* --- The events' aggregates, for `perf stat` and `perf record`. --- */

/* Allocates memory to sort the events' aggregates in. */
int aggregates_prepare(const struct perf_options *options, struct refusal *why);

/* Adds the aggregates of the recording that has ended to those of earlier runs. */
void aggregates_add(void);

/* Prints the sums and frees the memory. */
void aggregates_print(const struct perf_options *options);

/* Prints the hits between the last two marks (recording_count, aggregates_mark). */
void aggregates_print_interval(const struct perf_options *options);

/* Marks the aggregates of the recording that has ended. */
void aggregates_mark(void);

/* --- perf stat -I. --- */

/* Wakes the thread if an interval is over. Interrupt context. */
void interval_tick(void);
