/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts the hits of an event while they come: counts by key, and histograms of a field by powers of
 * two, instead of a record for each hit. Each CPU has a table of its own with a fixed size; hits
 * that find no room are counted. docs/perf.md ("Answers in place of events") tells why it is so.
 *
 * core/event/ calls tally_take for each hit that an event means; core/tally/print.h reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/tally/span.h"
#include "core/tally/table.h"
#include "core/tracepoint/field.h"
#include "core/unwind/unwind.h"

/* How hits are told apart: the first two words of a key. */
enum tally_by { TALLY_BY_NOTHING, TALLY_BY_COMM, TALLY_BY_CPU, TALLY_BY_CALLER, TALLY_BY_FIELD };

/* The role of a hit in a span of time (core/tally/span.h). */
enum tally_role { TALLY_COUNTS, TALLY_BEGINS, TALLY_ENDS };

/* What is tallied for an event; all 0: nothing. */
struct tally_plan {
    enum tally_role role;
    enum tally_by by;
    enum unwind_method method; /* how a caller is found */
    struct field_place key, value;
    const struct tracepoint_field *key_field;   /* for TALLY_BY_FIELD */
    const struct tracepoint_field *value_field; /* the field of the histogram; NULL: only counts */
    struct field_place span;
    const struct tracepoint_field *span_field; /* the field that must be equal at both ends of a
                                                * span; NULL: none */
};

static inline bool tally_is_wanted(const struct tally_plan *plan)
{
    return plan->by || plan->value_field || plan->role;
}

/*
 * The part of a key that a value belongs to: one for 0, one for each highest bit, one for values
 * below 0. Without a histogram all hits belong to part 0.
 */
#define TALLY_PART_NEGATIVE 65

static inline uint64_t tally_part(uint64_t value, bool has_sign)
{
    if (has_sign && (int64_t)value < 0)
        return TALLY_PART_NEGATIVE;
    return value ? 64 - (uint64_t)__builtin_clzll(value) : 0;
}

_Static_assert(TALLY_PART_NEGATIVE < TALLY_TABLE_PARTS, "a key has room for each part");

/* The tally of one CPU, which alone writes the table and `lost`. */
struct tally_cpu {
    struct tally_table table;
    uint64_t lost; /* hits that found no room */
    /* [the thread that marks] the cells' values at the last mark, and at the one before */
    uint64_t marked[TALLY_TABLE_CELLS], before[TALLY_TABLE_CELLS];
};

struct tally {
    struct tally_plan plan; /* [I] */
    struct tally_cpu *cpu;  /* [I] arch_cpus() of them; NULL: the event has no tally */
    struct span_cpu *spans; /* [I] likewise; shared by both events of a span; NULL: the event is in
                             * no span */
    const char *from;       /* [I] for the event that ends a span: the name of the one that begins
                             * it */
};

/* A hit, as its source passes it. */
struct tally_hit {
    struct trace_hit *traced; /* of a tracepoint; NULL for others */
    const struct regs *regs;  /* of other events: the registers */
    unsigned cpu;
};

/*
 * Returns the time of the span that the hit ends; 0 if it ends none. Any context of the CPU that
 * was hit, preemption off.
 */
uint64_t tally_take(struct tally *tally, const struct tally_hit *hit);

/*
 * Notes what each key has now, for tally_lines_marked. Task context; while all CPUs are parked, or
 * after the recording, so that marks of several events are of one moment.
 */
void tally_mark(const struct tally *tally);

/* Starts again at 0; all CPUs are parked. */
void tally_clear(struct tally *tally);
