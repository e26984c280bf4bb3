/* SPDX-License-Identifier: BSD-2-Clause */
/* See tally.h. Hits run in any context, tally_clear in task context. */
#include "core/tally/tally.h"

#include "arch/cpu.h"
#include "core/lib/string.h"
#include "core/unwind/user.h"

_Static_assert(TASK_NAME_SIZE == TRACEPOINT_TEXT_SIZE &&
                   TRACEPOINT_TEXT_SIZE == sizeof(((struct tally_key *)NULL)->words),
               "a name is a key");

static void tally_key_of(const struct tally_plan *plan, const struct tally_hit *hit,
                         uint64_t words[2])
{
    struct regs caller;

    words[0] = words[1] = 0;
    switch (plan->by) {
    case TALLY_BY_NOTHING:
        break;
    case TALLY_BY_COMM:
        tracepoint_copy_text((char *)words, task_name());
        break;
    case TALLY_BY_CPU:
        words[0] = hit->cpu;
        break;
    case TALLY_BY_CALLER:
        unwind_find_caller(plan->method, hit->traced ? trace_regs(hit->traced) : hit->regs, 1,
                           &caller);
        words[0] = caller.ip;
        break;
    case TALLY_BY_FIELD:
        if (field_is_text(&plan->key))
            field_text(&plan->key, hit->traced, (char *)words);
        else
            words[0] = field_number(&plan->key, hit->traced);
    }
}

static void tally_count(struct tally *tally, const struct tally_hit *hit, uint64_t part)
{
    struct tally_cpu *here = &tally->cpu[hit->cpu];
    struct tally_key key = {.part = part};
    struct tally_cell *cell;

    tally_key_of(&tally->plan, hit, key.words);
    cell = tally_table_find(&here->table, &key, true);
    local_increment(cell ? &cell->value : &here->lost);
}

static uint64_t tally_take_span(struct tally *tally, const struct tally_hit *hit)
{
    const struct tally_plan *plan = &tally->plan;
    uint64_t now = arch_clock_ns(), time = 0;
    struct tally_key key = {.words = {task_ids[hit->cpu]}};

    if (plan->span_field)
        key.words[1] = field_number(&plan->span, hit->traced);
    if (plan->role == TALLY_BEGINS)
        span_begin(&tally->spans[hit->cpu], &key, now);
    else if (span_end(&tally->spans[hit->cpu], &key, now, &time))
        tally_count(tally, hit, tally_part(time, false));
    return time;
}

uint64_t tally_take(struct tally *tally, const struct tally_hit *hit)
{
    const struct tally_plan *plan = &tally->plan;
    uint64_t part = 0;

    if (plan->role)
        return tally_take_span(tally, hit);
    if (plan->value_field)
        part = tally_part(field_number(&plan->value, hit->traced), field_has_sign(&plan->value));
    tally_count(tally, hit, part);
    return 0;
}

void tally_mark(const struct tally *tally)
{
    for (unsigned cpu = 0; tally->cpu && cpu < arch_cpus(); cpu++) {
        struct tally_cpu *of = &tally->cpu[cpu];

        memcpy(of->before, of->marked, sizeof(of->before));
        for (unsigned i = 0; i < TALLY_TABLE_CELLS; i++)
            of->marked[i] = local_load(&of->table.cells[i].value);
    }
}

void tally_clear(struct tally *tally)
{
    if (tally->cpu)
        memset(tally->cpu, 0, arch_cpus() * sizeof(*tally->cpu));
    if (tally->spans)
        memset(tally->spans, 0, arch_cpus() * sizeof(*tally->spans));
}
