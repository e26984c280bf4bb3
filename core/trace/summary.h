/* SPDX-License-Identifier: BSD-2-Clause */
/* What the summary of `perf trace` counts of a thread's calls, and its columns. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/trace/calls.h"

#define TRACE_UNIT_NS 16

struct trace_stats {
    uint64_t calls, errors;
    uint64_t total, least, most; /* nanoseconds */
    uint64_t units, squares;     /* sums of durations in TRACE_UNIT_NS and of their squares */
};

void trace_stats_add(struct trace_stats *stats, uint64_t duration, bool failed);

/* The thread's table: one for each call of core/trace/calls.h. */
void trace_stats_print(struct sink *sink, const struct trace_stats *stats);

/* Nanoseconds as milliseconds with three decimals, as wide as that; as printf rounds doubles. */
void trace_print_ms(struct sink *sink, int width, uint64_t nanoseconds);
