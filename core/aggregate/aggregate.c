/* SPDX-License-Identifier: BSD-2-Clause */
/* See aggregate.h. Hits run in any context, aggregate_clear in task context. */
#include "core/aggregate/aggregate.h"

#include "arch/cpu.h"
#include "core/lib/string.h"
#include "core/unwind/unwind.h"

#define TABLE_PROBES 32 /* cells searched for a key; bounds the time of a hit */

_Static_assert(TASK_NAME_SIZE == TRACEPOINT_TEXT_SIZE &&
                   TRACEPOINT_TEXT_SIZE == sizeof(((struct aggregate_key *)NULL)->words),
               "a name is a key");

static inline bool aggregate_cell_is(const struct aggregate_cell *cell,
                                     const struct aggregate_key *key)
{
    return publish_load(&cell->state) ==
               AGGREGATE_CELL_READY + key->part && /* pairs with A in an outer hit */
           cell->words[0] == key->words[0] &&
           cell->words[1] == key->words[1];
}

/*
 * Returns the key's cell, or NULL if it is absent or, with `make`, if there is no room for it. Any
 * context of the CPU that owns the table.
 *
 * A writer claims a cell by one exchange of its state, writes the key, and marks the cell ready. A
 * nested hit in between takes the cell for another key's, so one key may have two cells: readers
 * add up cells with the same key (print.c).
 */
static inline struct aggregate_cell *
aggregate_table_find(struct aggregate_table *table, const struct aggregate_key *key, bool make)
{
    uint64_t place = aggregate_table_place(key);

    for (unsigned probe = 0; probe < TABLE_PROBES; probe++) {
        struct aggregate_cell *cell = &table->cells[(place + probe) % AGGREGATE_TABLE_CELLS];

        if (aggregate_cell_is(cell, key))
            return cell;
        if (local_load(&cell->state) != AGGREGATE_CELL_FREE)
            continue;
        if (!make)
            return NULL;
        if (!local_compare_exchange(&cell->state, AGGREGATE_CELL_FREE, AGGREGATE_CELL_CLAIMED))
            continue; /* a nested hit has claimed the cell */
        cell->words[0] = key->words[0];
        cell->words[1] = key->words[1];
        publish_store(&cell->state, AGGREGATE_CELL_READY + key->part); /* A */
        return cell;
    }
    return NULL;
}

static void aggregate_key_of(const struct aggregate_plan *plan, const struct aggregate_hit *hit,
                             uint64_t words[2])
{
    struct regs caller;

    words[0] = words[1] = 0;
    switch (plan->by) {
    case AGGREGATE_BY_NOTHING:
        break;
    case AGGREGATE_BY_COMM:
        tracepoint_copy_text((char *)words, task_name());
        break;
    case AGGREGATE_BY_CPU:
        words[0] = hit->cpu;
        break;
    case AGGREGATE_BY_CALLER:
        unwind_find_caller(plan->method, hit->traced ? trace_regs(hit->traced) : hit->regs, 1,
                           &caller);
        words[0] = caller.ip;
        break;
    case AGGREGATE_BY_FIELD:
        if (field_is_text(&plan->key))
            field_text(&plan->key, hit->traced, (char *)words);
        else
            words[0] = field_number(&plan->key, hit->traced);
    }
}

static void aggregate_count(struct aggregate *aggregate, const struct aggregate_hit *hit,
                            uint64_t part)
{
    struct aggregate_cpu *here = &aggregate->cpu[hit->cpu];
    struct aggregate_key key = {.part = part};
    struct aggregate_cell *cell;

    aggregate_key_of(&aggregate->plan, hit, key.words);
    cell = aggregate_table_find(&here->table, &key, true);
    local_increment(cell ? &cell->value : &here->lost);
}

static void span_begin(struct span_cpu *here, const struct aggregate_key *key, uint64_t now)
{
    struct aggregate_cell *cell = aggregate_table_find(&here->table, key, true);

    if (!cell) {
        local_increment(&here->lost);
        return;
    }
    if (local_load(&cell->value))
        local_increment(&here->again);
    local_store(&cell->value, now);
}

/*
 * Returns false if the span has not begun. A nested hit may begin or end the same span: only the
 * hit that exchanges the start time for 0 ends it.
 */
static bool span_end(struct span_cpu *here, const struct aggregate_key *key, uint64_t now,
                     uint64_t *time)
{
    struct aggregate_cell *cell = aggregate_table_find(&here->table, key, false);
    uint64_t begun = cell ? local_load(&cell->value) : 0;

    if (!begun || !local_compare_exchange(&cell->value, begun, 0)) {
        local_increment(&here->unbegun);
        return false;
    }
    *time = now - begun;
    return true;
}

static uint64_t aggregate_take_span(struct aggregate *aggregate, const struct aggregate_hit *hit)
{
    const struct aggregate_plan *plan = &aggregate->plan;
    uint64_t now = arch_clock_ns(), time = 0;
    struct aggregate_key key = {.words = {task_ids[hit->cpu]}};

    if (plan->span_field)
        key.words[1] = field_number(&plan->span, hit->traced);
    if (plan->role == AGGREGATE_BEGINS)
        span_begin(&aggregate->spans[hit->cpu], &key, now);
    else if (span_end(&aggregate->spans[hit->cpu], &key, now, &time))
        aggregate_count(aggregate, hit, aggregate_part(time, false));
    return time;
}

uint64_t aggregate_add(struct aggregate *aggregate, const struct aggregate_hit *hit)
{
    const struct aggregate_plan *plan = &aggregate->plan;
    uint64_t part = 0;

    if (plan->role)
        return aggregate_take_span(aggregate, hit);
    if (plan->value_field)
        part =
            aggregate_part(field_number(&plan->value, hit->traced), field_has_sign(&plan->value));
    aggregate_count(aggregate, hit, part);
    return 0;
}

void aggregate_mark(const struct aggregate *aggregate)
{
    for (unsigned cpu = 0; aggregate->cpu && cpu < arch_cpus(); cpu++) {
        struct aggregate_cpu *of = &aggregate->cpu[cpu];

        memcpy(of->before, of->marked, sizeof(of->before));
        for (unsigned i = 0; i < AGGREGATE_TABLE_CELLS; i++)
            of->marked[i] = local_load(&of->table.cells[i].value);
    }
}

void aggregate_clear(struct aggregate *aggregate)
{
    if (aggregate->cpu)
        memset(aggregate->cpu, 0, arch_cpus() * sizeof(*aggregate->cpu));
    if (aggregate->spans)
        memset(aggregate->spans, 0, arch_cpus() * sizeof(*aggregate->spans));
}

void span_sums_add(struct span_sums *sums, const struct span_cpu *cpus)
{
    struct aggregate_key key;
    uint64_t begun = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        sums->again += local_load(&cpus[cpu].again);
        sums->unbegun += local_load(&cpus[cpu].unbegun);
        sums->lost += local_load(&cpus[cpu].lost);
        for (unsigned i = 0; i < AGGREGATE_TABLE_CELLS; i++)
            sums->open += aggregate_table_read(&cpus[cpu].table.cells[i], &key, &begun) && begun;
    }
}
