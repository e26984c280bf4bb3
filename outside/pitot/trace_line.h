/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line of `perf script --ns -F comm,pid,tid,cpu,time,event,trace`: one sample. Called by
 * outside/pitot/trace_perf.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The event of a line that says, in its text, how many samples were lost before it. */
#define TRACE_LINE_LOST "PERF_RECORD_LOST"

struct trace_line {
    char *comm, *event, *text; /* text: of a tracepoint's fields; or empty */
    int pid, tid;              /* -1: not known; 0: idle */
    uint64_t cpu, time;
};

/*
 * Cuts "comm pid/tid [cpu] seconds.nanoseconds: event: text", whose comm may have blanks, into its
 * parts. False: it is none.
 */
bool trace_line_read(char *line, struct trace_line *sample);

/* The number that a field of the text has; `otherwise`: there is none. */
int64_t trace_line_field(const char *text, const char *name, int64_t otherwise);
