/* SPDX-License-Identifier: BSD-2-Clause */
/* See aggregate.h. Hits run in any context, aggregate_clear in task context. */
#include "core/aggregate/aggregate.h"

#include "arch/cpu.h"
#include "core/lib/string.h"
#include "core/unwind/user.h"

_Static_assert(TASK_NAME_SIZE == TRACEPOINT_TEXT_SIZE &&
                   TRACEPOINT_TEXT_SIZE == sizeof(((struct aggregate_key *)NULL)->words),
               "a name is a key");

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
