/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of a recording, and their slices: interrupts, system calls and waits for locks, from
 * their beginnings to their ends. Called by outside/pitot/trace_perf.c and trace_cpus.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/trace_line.h"

/* Notes that the sample's thread has run then, and names its track. */
int trace_threads_see(const struct trace_line *sample, struct refusal *why);

/* Puts the event on its thread's track; on its CPU's, if that has none of its own. */
void trace_threads_place(struct trace_event *event, const struct trace_line *sample);

/* The number of the arrow to the thread's next run, to be set; 0: none. NULL: no memory. */
uint64_t *trace_threads_woken(int tid, uint64_t cpu, struct refusal *why);

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
