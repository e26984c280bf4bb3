/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's call statistics, and the table that `perf trace` prints of them. Any context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/script/trace_calls.h"

#define TRACE_UNIT_NS 16

struct trace_stats {
    uint64_t calls, errors;
    uint64_t total, least, most; /* nanoseconds */
    uint64_t units, squares;     /* sums of durations / TRACE_UNIT_NS, and of their squares */
};

void trace_stats_add(struct trace_stats *stats, uint64_t duration, bool failed);

/* Prints the thread's table, a line per call. `stats` is indexed as in trace_calls.h. */
void trace_stats_print(struct sink *sink, const struct trace_stats *stats);

/* Prints milliseconds with three decimals, rounded as printf rounds doubles, in `width` columns. */
void trace_print_ms(struct sink *sink, int width, uint64_t nanoseconds);
