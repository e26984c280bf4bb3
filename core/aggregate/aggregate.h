/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregates the hits of an event as they arrive: counts per key, and histograms of a field by
 * powers of two, instead of a record for each hit. Each CPU has a table of fixed size; hits that
 * find no room are counted. See docs/perf.md, "Answers in place of events".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/aggregate/span.h"
#include "core/aggregate/table.h"
#include "core/tracepoint/field.h"
#include "core/unwind/unwind.h"

/* Selects the first two words of a key. */
enum aggregate_by {
    AGGREGATE_BY_NOTHING,
    AGGREGATE_BY_COMM,
    AGGREGATE_BY_CPU,
    AGGREGATE_BY_CALLER,
    AGGREGATE_BY_FIELD
};

/* The role of a hit in a span of time (core/aggregate/span.h). */
enum aggregate_role { AGGREGATE_COUNTS, AGGREGATE_BEGINS, AGGREGATE_ENDS };

/* What to aggregate for an event; all 0: nothing. */
struct aggregate_plan {
    enum aggregate_role role;
    enum aggregate_by by;
    enum unwind_method method; /* how to find a caller */
    struct field_place key, value;
    const struct tracepoint_field *key_field;   /* for AGGREGATE_BY_FIELD */
    const struct tracepoint_field *value_field; /* field of the histogram; NULL: only counts */
    struct field_place span;
    const struct tracepoint_field *span_field; /* equal at both ends of a span; NULL: none */
};

static inline bool aggregate_is_wanted(const struct aggregate_plan *plan)
{
    return plan->by || plan->value_field || plan->role;
}

/*
 * Parts of a key (histogram buckets): 0 for the value 0, 1 to 64 by the value's highest bit, and
 * one for negative values. Without a histogram all hits are in part 0.
 */
#define AGGREGATE_PART_NEGATIVE 65

static inline uint64_t aggregate_part(uint64_t value, bool has_sign)
{
    if (has_sign && (int64_t)value < 0)
        return AGGREGATE_PART_NEGATIVE;
    return value ? 64 - (uint64_t)__builtin_clzll(value) : 0;
}

struct aggregate_cpu {
    struct aggregate_table table; /* [owning CPU] */
    uint64_t lost;                /* [owning CPU] hits that found no room */
    /* [the thread that marks] cell values at the last mark, and at the mark before */
    uint64_t marked[AGGREGATE_TABLE_CELLS], before[AGGREGATE_TABLE_CELLS];
};

struct aggregate {
    struct aggregate_plan plan; /* [I] */
    struct aggregate_cpu *cpu;  /* [I] arch_cpus() entries; NULL: the event has no aggregate */
    struct span_cpu *spans;     /* [I] likewise, shared by both events of a span; NULL: no span */
    const char *from;           /* [I] if this event ends a span: name of the one that begins it */
};

struct aggregate_hit {
    struct trace_hit *traced; /* a tracepoint's hit; NULL for other sources */
    const struct regs *regs;  /* registers of a hit from another source */
    unsigned cpu;
};

/*
 * Called for each matching hit. If the hit ends a span, returns the time since the span began,
 * otherwise 0. Any context of the CPU that was hit, with preemption off.
 */
uint64_t aggregate_add(struct aggregate *aggregate, const struct aggregate_hit *hit);

/*
 * Saves the value of each key for aggregate_lines_marked. Task context; with all CPUs parked or
 * after the recording, so that the marks of several events are simultaneous.
 */
void aggregate_mark(const struct aggregate *aggregate);

/* Resets all counts to 0; all CPUs are parked. */
void aggregate_clear(struct aggregate *aggregate);
