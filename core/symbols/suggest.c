/* SPDX-License-Identifier: BSD-2-Clause */
/* symbols_suggest of symbols.h. */
#include "core/symbols/nearest.h"
#include "core/symbols/symbols.h"

static const char *symbol_name_at(const void *of, size_t index)
{
    struct symbol symbol;

    (void)of;
    return symbols_by_name(index, &symbol) ? symbol.name : NULL;
}

size_t symbols_suggest(const char *wrong, struct symbol *nearest, size_t most)
{
    size_t index[NEAREST_MOST], count = nearest_find(wrong, symbol_name_at, NULL, index, most);

    for (size_t i = 0; i < count; i++)
        symbols_by_name(index[i], &nearest[i]);
    return count;
}
