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

/* Returns the `branches` event, or NULL. */
const struct event_spec *session_stepping(void);

/* Reports CPUs that missed hits because their watches were found disarmed. */
void session_print_lapses(const char *command);

/* Wakes the threads that stream and print. Called by the boot CPU's tick, in an interrupt. */
void session_tick(void);

/* Called at boot. Limits each event to `most` samples per second; 0: no limit. */
void session_set_rate(uint64_t most);

/*
 * Runs the workload, which is followed and stepped as the options ask, and returns its status.
 * Without a workload, waits for ^C.
 */
int workload_run(void);
