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

#include "arch/local.h"
#include "core/lib/print.h"
#include "core/tracepoint/field.h"
#include "core/unwind/unwind.h"

/* --- The table. --- */

/*
 * A hash table of fixed size that maps keys to words: open addressing without removal. One CPU
 * writes it, in its hits, without locks or allocation; at any instruction another hit of that CPU
 * may interrupt.
 */

#define AGGREGATE_TABLE_CELLS 1024 /* per CPU; a power of two */

struct aggregate_key {
    uint64_t words[2];
    uint64_t part; /* histogram bucket, below 256 (aggregate_part) */
};

/* Values of `state`; the state of a ready cell is AGGREGATE_CELL_READY plus the part. */
enum aggregate_cell_state { AGGREGATE_CELL_FREE, AGGREGATE_CELL_CLAIMED, AGGREGATE_CELL_READY };

/* [owning CPU] writes; any CPU reads ready cells. */
struct aggregate_cell {
    uint64_t state;
    uint64_t words[2]; /* constant once the cell is ready */
    uint64_t value;    /* initially 0 */
};

struct aggregate_table {
    struct aggregate_cell cells[AGGREGATE_TABLE_CELLS];
};

static inline uint64_t aggregate_table_place(const struct aggregate_key *key)
{
    uint64_t mixed = key->words[0] ^ key->words[1] * 0xff51afd7ed558ccdull ^ key->part << 56;

    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull;
    return mixed >> 32;
}

/* Returns false if the cell is not ready. Any CPU. */
static inline bool aggregate_table_read(const struct aggregate_cell *cell,
                                        struct aggregate_key *key, uint64_t *value)
{
    uint64_t state = publish_load(&cell->state); /* pairs with A: the key is complete */

    if (state < AGGREGATE_CELL_READY)
        return false;
    *key = (struct aggregate_key){{cell->words[0], cell->words[1]}, state - AGGREGATE_CELL_READY};
    *value = local_load(&cell->value);
    return true;
}

/* --- Spans. --- */

/*
 * The time from a hit of one event to the next hit of another in the same thread, as in
 * `--from lock:lock_acquire --to lock:lock_acquired`. If the events have a span field, its value
 * must be equal in both hits. Each CPU keeps the start times of its hits in a table of fixed size.
 */

/* [owning CPU] */
struct span_cpu {
    struct aggregate_table table; /* start times in ns; 0: the span has ended */
    uint64_t again;               /* starts of spans already started; the later start counts */
    uint64_t unbegun;             /* ends without a start */
    uint64_t lost;                /* starts that found no room */
};

/* Adds the sums over all CPUs; `open`: spans that have begun and not ended. Task context. */
struct span_sums {
    uint64_t again, unbegun, lost, open;
};
void span_sums_add(struct span_sums *sums, const struct span_cpu *cpus);

/* --- Plans and hits. --- */

/* Selects the first two words of a key. */
enum aggregate_by {
    AGGREGATE_BY_NOTHING,
    AGGREGATE_BY_COMM,
    AGGREGATE_BY_CPU,
    AGGREGATE_BY_CALLER,
    AGGREGATE_BY_FIELD
};

/* The role of a hit in a span of time. */
enum aggregate_role { AGGREGATE_COUNTS, AGGREGATE_BEGINS, AGGREGATE_ENDS };

/* What to aggregate for an event; all 0: nothing. */
struct aggregate_plan {
    enum aggregate_role role;
    enum aggregate_by by;
    enum unwind_method method; /* how to find a caller */
    struct field_place key, value;
    const struct pitot_field *key_field;   /* for AGGREGATE_BY_FIELD */
    const struct pitot_field *value_field; /* field of the histogram; NULL: only counts */
    struct field_place span;
    const struct pitot_field *span_field; /* equal at both ends of a span; NULL: none */
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

/*
 * --- As text: print.c. The contents of all CPUs' tables become lines, one for each key and part
 * (histogram bucket). The lines of a key are adjacent; the key with the most hits comes first. Task
 * context; while hits arrive, counts may be slightly out of date. ---
 */

struct aggregate_line {
    struct aggregate_key key;
    uint64_t count;
    uint64_t of_key; /* sum over all lines of this key */
};

size_t aggregate_lines_most(void);

/*
 * Stores the lines of the hits between the last two marks. Returns their number, at most
 * aggregate_lines_most().
 */
size_t aggregate_lines_marked(const struct aggregate *aggregate, struct aggregate_line *lines);

/*
 * Lines summed up over several recordings. `lines` has room for `most` lines plus
 * aggregate_lines_most().
 */
struct aggregate_sums {
    struct aggregate_line *lines;
    size_t count, most;
    uint64_t lost;   /* hits that found no room in a CPU's table */
    uint64_t beyond; /* hits of lines beyond `most` */
    struct span_sums spans;
    uint64_t runs;
};

void aggregate_sums_add(struct aggregate_sums *sums, const struct aggregate *aggregate);

void aggregate_print(struct sink *sink, const char *event, const struct aggregate *aggregate,
                     const struct aggregate_sums *sums);

/* Called after the last interval: prints the hits that no interval's lines include, if any. */
void aggregate_print_rest(struct sink *sink, const char *event, const struct aggregate *aggregate,
                          const struct aggregate_sums *sums);
