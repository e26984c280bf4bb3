/* SPDX-License-Identifier: BSD-2-Clause */
/* See sorted_rows.h. */
#include "tests/bench/tables/sorted_rows.h"

#include <stdlib.h>
#include <string.h>

bool sorted_rows_init(struct sorted_rows *table, size_t most, uint32_t text_size)
{
    table->count = 0;
    table->blocks =
        (uint32_t)(((uint64_t)text_size + (1u << SORTED_BLOCK_SHIFT) - 1) >> SORTED_BLOCK_SHIFT);
    table->offsets = malloc(most * sizeof(*table->offsets));
    table->rules = malloc(most * sizeof(*table->rules));
    table->index = malloc((table->blocks + 1) * sizeof(*table->index));
    return table->offsets && table->rules && table->index;
}

void sorted_rows_free(struct sorted_rows *table)
{
    free(table->offsets);
    free(table->rules);
    free(table->index);
}

static struct sorted_rule shortened(const struct unwind_rule *rule)
{
    if (rule->kind != UNWIND_RULE_CALL || rule->indirect)
        return (struct sorted_rule){.base = SORTED_NO_BASE};
    return (struct sorted_rule){.base = rule->base,
                                .saved = rule->saved,
                                .cfa_offset = (int16_t)rule->cfa_offset,
                                .saved_offset = (int16_t)rule->saved_offset};
}

void sorted_rows_add(struct sorted_rows *table, uint32_t offset, const struct unwind_rule *rule)
{
    struct sorted_rule added = shortened(rule);

    if (table->count > 0 && memcmp(&table->rules[table->count - 1], &added, sizeof(added)) == 0)
        return;
    table->offsets[table->count] = (int32_t)offset;
    table->rules[table->count++] = added;
}

void sorted_rows_finish(struct sorted_rows *table)
{
    uint32_t row = 0;

    for (uint32_t block = 0; block <= table->blocks; block++) {
        while (row + 1 < table->count &&
               (uint32_t)table->offsets[row + 1] <= block << SORTED_BLOCK_SHIFT)
            row++;
        table->index[block] = row;
    }
}

size_t sorted_rows_bytes(const struct sorted_rows *table)
{
    return table->count * (sizeof(*table->offsets) + sizeof(*table->rules)) +
           table->blocks * sizeof(*table->index);
}
