/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread each CPU ran, of a recording's sched_switch, with arrows from who wakes to who is
 * woken, of its sched_wakeup. The fields are Linux' (include/trace/events/sched.h). Called by
 * outside/pitot/trace_perf.c and trace_threads.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/trace_line.h"

/* Names the sample's CPU, which may have no other samples. */
int trace_cpus_see(const struct trace_line *sample, struct refusal *why);

/* A sched_switch; `first`: the time of the recording's first sample. */
int trace_cpus_switch(const struct trace_line *sample, uint64_t first, struct refusal *why);

/* A sched_wakeup. */
int trace_cpus_wakeup(const struct trace_line *sample, struct refusal *why);

/* True if the CPU is known to have run its thread from `since` on. */
bool trace_cpus_run_since(uint64_t cpu, uint64_t since);

/* The name of a thread that a CPU runs or that holds a lock: a text of trace_file.h. */
uint32_t trace_cpus_thread(const char *comm, size_t length, int tid);

/* All runs end, at the time of the last sample. */
int trace_cpus_end(uint64_t last, struct refusal *why);
