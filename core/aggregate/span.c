/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See span.h. A nested hit may begin or end the same span: only the hit that exchanges the start
 * time for 0 ends it.
 */
#include "core/aggregate/span.h"

#include <stddef.h>

#include "arch/cpu.h"

void span_begin(struct span_cpu *here, const struct aggregate_key *key, uint64_t now)
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

bool span_end(struct span_cpu *here, const struct aggregate_key *key, uint64_t now, uint64_t *time)
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
