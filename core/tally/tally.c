/* SPDX-License-Identifier: BSD-2-Clause */
/* See tally.h. Hits run in any context, tally_clear in task context. */
#include "core/tally/tally.h"

#include "arch/cpu.h"
#include "core/lib/string.h"
#include "core/unwind/caller.h"

_Static_assert(TASK_NAME_SIZE == TRACEPOINT_TEXT_SIZE &&
                   TRACEPOINT_TEXT_SIZE == sizeof(((struct tally_key *)NULL)->words),
               "a name is a key");

static uint64_t tally_caller(const struct tally_plan *plan, const struct tally_hit *hit)
{
    struct regs caller;

    caller_find(plan->method, hit->traced ? trace_regs(hit->traced) : hit->regs, 1, &caller);
    return caller.ip;
}

static void tally_key_of(const struct tally_plan *plan, const struct tally_hit *hit,
                         uint64_t words[2])
{
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
        words[0] = tally_caller(plan, hit);
        break;
    case TALLY_BY_FIELD:
        if (field_is_text(&plan->key))
            field_text(&plan->key, hit->traced, (char *)words);
        else
            words[0] = field_number(&plan->key, hit->traced);
    }
}

void tally_take(struct tally *tally, const struct tally_hit *hit)
{
    const struct tally_plan *plan = &tally->plan;
    struct tally_cpu *here = &tally->cpu[hit->cpu];
    struct tally_key key = {.part = 0};
    struct tally_cell *cell;

    tally_key_of(plan, hit, key.words);
    if (plan->value_field)
        key.part =
            tally_part(field_number(&plan->value, hit->traced), field_has_sign(&plan->value));
    cell = tally_table_find(&here->table, &key, true);
    local_increment(cell ? &cell->value : &here->lost);
}

void tally_clear(struct tally *tally)
{
    if (tally->cpu)
        memset(tally->cpu, 0, arch_cpus() * sizeof(*tally->cpu));
}
