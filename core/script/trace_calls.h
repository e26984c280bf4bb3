/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls as `perf trace` shows them. Any context, unless a section says otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"

/* --- The kernel's system calls, and names of errors. --- */

/* Returns NULL past the end of `calls`, which may be missing. */
const struct pitot_call *trace_call_at(unsigned index);

/* Return the index of the call with this number or name; -1 if there is none. */
int trace_call_by_number(uint64_t number);
int trace_call_by_name(const char *name, size_t length);

struct trace_error {
    uint64_t number;
    const char *name, *text; /* "ENOENT", "No such file or directory" */
};

/* Returns NULL for an error that no system call here returns. */
const struct trace_error *trace_error_find(uint64_t number);

/* --- A thread's call statistics, and the table of them. --- */

#define TRACE_UNIT_NS 16

struct trace_stats {
    uint64_t calls, errors;
    uint64_t total, least, most; /* nanoseconds */
    uint64_t units, squares;     /* sums of durations / TRACE_UNIT_NS, and of their squares */
};

void trace_stats_add(struct trace_stats *stats, uint64_t duration, bool failed);

/* Prints the thread's table, a line per call. `stats` is indexed by call. */
void trace_stats_print(struct sink *sink, const struct trace_stats *stats);

/* Prints milliseconds with three decimals, rounded as printf rounds doubles, in `width` columns. */
void trace_print_ms(struct sink *sink, int width, uint64_t nanoseconds);

/* --- Lines, and a summary per thread (trace_print.c). --- */

struct trace_options {
    bool lines, summary;
    uint64_t calls; /* bit i: print call i */
};

/*
 * Takes the kernel's memory for the sums of a summary, which trace_print then prints; false: gives
 * it back. Returns -ENOMEM, with the reason in `why`. Task context.
 */
int trace_sums_take(bool summary, struct refusal *why);

/*
 * Prints as the real `perf trace` does: a line per call, or two if another call began before it
 * returned. Returns the number of system call samples. Task context, one caller at a time.
 */
uint64_t trace_print(struct sink *sink, struct record_source *source,
                     const struct trace_options *options);
