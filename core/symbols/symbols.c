/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbols.h. */
#include "core/symbols/symbols.h"

/* Defined by the linker script, and in unit tests by the test. */
extern const char symtab_start[], symtab_end[];

static struct symbol_table table; /* written only by symbols_init */

int symbols_init(const uint8_t *build_id, size_t build_id_size, struct refusal *why)
{
    return symbol_table_open(&table, symtab_start, (uintptr_t)symtab_end - (uintptr_t)symtab_start,
                             build_id, build_id_size, why);
}

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    return symbol_table_find_address(&table, address, found);
}

int symbols_find_name(const char *name, struct symbol *found, size_t *count)
{
    return symbol_table_find_name(&table, name, found, count);
}

bool symbols_by_name(size_t index, struct symbol *found)
{
    return symbol_table_by_name(&table, index, found);
}

size_t symbols_count(void)
{
    return table.entry_count;
}
