/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits of an event told apart while they come: counts by key, and histograms of a field by powers
 * of two, instead of a record for each. Each CPU keeps its own, in a table of fixed size; what
 * finds no room there is counted. docs/perf.md ("Answers in place of events") tells why it is so.
 *
 * core/source/ calls tally_take for each hit that an event means; core/tally/print.h reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/tally/span.h"
#include "core/tally/table.h"
#include "core/tracepoint/field.h"
#include "core/unwind/unwind.h"

/* By what they are told apart: the first two words of a key. */
enum tally_by { TALLY_BY_NOTHING, TALLY_BY_COMM, TALLY_BY_CPU, TALLY_BY_CALLER, TALLY_BY_FIELD };

/* What a hit is of a span of time (core/tally/span.h). */
enum tally_role { TALLY_COUNTS, TALLY_BEGINS, TALLY_ENDS };

/* What is wanted of an event; all 0: nothing. */
struct tally_plan {
    enum tally_role role;
    enum tally_by by;
    enum unwind_method method; /* by which a caller is found */
    struct field_place key, value;
    const struct tracepoint_field *key_field;   /* of TALLY_BY_FIELD */
    const struct tracepoint_field *value_field; /* its histogram is wanted; NULL: counts alone */
    struct field_place span;
    const struct tracepoint_field *span_field; /* that both ends of a span share; NULL: none */
};

static inline bool tally_is_wanted(const struct tally_plan *plan)
{
    return plan->by || plan->value_field || plan->role;
}

/*
 * The part of a key that a value belongs to: 0, then one for each highest bit, then those below 0.
 * Where no histogram is wanted, all hits are of part 0.
 */
#define TALLY_PART_NEGATIVE 65

static inline uint64_t tally_part(uint64_t value, bool has_sign)
{
    if (has_sign && (int64_t)value < 0)
        return TALLY_PART_NEGATIVE;
    return value ? 64 - (uint64_t)__builtin_clzll(value) : 0;
}

_Static_assert(TALLY_PART_NEGATIVE < TALLY_TABLE_PARTS, "a key has room for each part");

/* What one CPU tallies; no other writes to it. */
struct tally_cpu {
    struct tally_table table;
    uint64_t lost; /* hits that found no room */
};

struct tally {
    struct tally_plan plan; /* [I] */
    struct tally_cpu *cpu;  /* [I] arch_cpus() of them; NULL: nothing is counted apart */
    struct span_cpu *spans; /* [I] likewise; of both events of a span; NULL: it is of none */
    const char *from;       /* [I] the event that begins it, of the one that ends it */
};

/* A hit, as its source has it. */
struct tally_hit {
    struct trace_hit *traced; /* a tracepoint's; NULL for others */
    const struct regs *regs;  /* of others */
    unsigned cpu;
};

/*
 * Returns the time of the span that the hit ends; 0 if it ends none. Any context of the CPU that
 * was hit, preemption off.
 */
uint64_t tally_take(struct tally *tally, const struct tally_hit *hit);

/* Begins anew; all CPUs are parked. */
void tally_clear(struct tally *tally);
