/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of a recording, as perf script writes them, and the threads and CPUs that they tell of.
 * Called by outside/pitot/trace_perf.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/trace_file.h"

/* A line of `perf script --ns -F comm,pid,tid,cpu,time,event,trace`: one sample. */
struct trace_line {
    char *comm, *event, *text; /* text: of a tracepoint's fields; or empty */
    int pid, tid;              /* -1: not known; 0: idle */
    uint64_t cpu, time;
};

/* The number that a field of the text has; `otherwise`: there is none. */
int64_t trace_line_field(const char *text, const char *name, int64_t otherwise);

/* --- Threads, and their slices --- */

/*
 * Interrupts, system calls and waits for locks, from their beginnings to their ends.
 */

/* Notes that the sample's thread has run then, and names its track. */
int trace_threads_see(const struct trace_line *sample, struct refusal *why);

/* Puts the event on its thread's track; on its CPU's, if that has none of its own. */
void trace_threads_place(struct trace_event *event, const struct trace_line *sample);

/*
 * Something of this thread begins. A system call has none within it, and a wait no wait: the end of
 * those was lost.
 */
int trace_threads_enter(const struct trace_line *sample, enum trace_kind kind, const char *name,
                        struct refusal *why);

/*
 * The innermost of this kind, and of this name unless that is NULL, ends, and what began within it
 * and has no end of its own.
 */
int trace_threads_exit(const struct trace_line *sample, enum trace_kind kind, const char *name,
                       struct refusal *why);

/* All that is open ends, each when its thread has run last. */
int trace_threads_end(struct refusal *why);

/* --- CPUs: which thread each ran --- */

/*
 * Of a recording's sched_switch, with arrows from who wakes to who is woken, of its sched_wakeup.
 * The fields are Linux' (include/trace/events/sched.h).
 */

/* A sched_switch; `first`: the time of the recording's first sample. */
int trace_cpus_switch(const struct trace_line *sample, uint64_t first, struct refusal *why);

/* A sched_wakeup. */
int trace_cpus_wakeup(const struct trace_line *sample, struct refusal *why);

/* The name of a thread that a CPU runs or that holds a lock: a text of trace_file.h. */
uint32_t trace_cpus_thread(const char *comm, size_t length, int tid);

/* All runs end, at the time of the last sample. */
int trace_cpus_end(uint64_t last, struct refusal *why);
