/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns arguments into armed events and a workload. Task context, one command at a time. */
#pragma once

#include "core/perf/options.h"

/* Parses argv. `at_boot`: the boot is the workload. *prepared is constant until the next call. */
int session_prepare(int argc, char **argv, bool at_boot, const struct perf_options **prepared,
                    struct refusal *why);

/* Arms the prepared events; may be repeated. */
int session_begin(struct refusal *why);
void session_end(void);

/* The `branches` event, or NULL. */
const struct event_spec *session_stepping(void);

/* Reports CPUs that missed hits because their watches were found disarmed. */
void session_print_lapses(const char *command);

/* Wakes the threads that stream and print. Called by the boot CPU's tick, in an interrupt. */
void session_tick(void);

/* Limits each event to `most` samples per second; 0: no limit. Boot. */
void session_set_rate(uint64_t most);

/* Runs, follows and steps the workload and returns its status; without one, waits for ^C. */
int workload_run(void);
