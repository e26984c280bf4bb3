/* SPDX-License-Identifier: BSD-2-Clause */
/* symbol_table_suggest of table.h. */
#include "core/symbols/nearest.h"
#include "core/symbols/table.h"

static const char *name_at(const void *of, size_t index)
{
    struct symbol symbol;

    return symbol_table_by_name(of, index, &symbol) ? symbol.name : NULL;
}

size_t symbol_table_suggest(const struct symbol_table *table, const char *wrong,
                            struct symbol *nearest, size_t most)
{
    size_t index[NEAREST_MOST], count = nearest_find(wrong, name_at, table, index, most);

    for (size_t i = 0; i < count; i++)
        symbol_table_by_name(table, index[i], &nearest[i]);
    return count;
}
