/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A symbol table of the kernel or a program, as tools/symtab writes it (core/abi/symtab.h). Opened
 * and checked once, in task context; lookups: any context, NMIs included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    const char *name; /* valid as long as the table */
    uintptr_t address;
    size_t size; /* bytes; 0 if the object file gives none */
    char kind;   /* as nm prints it: t T d D r R b B */
};

/* Zero-initialised: a table without symbols. */
struct symbol_table {
    uint64_t base;
    const struct symtab_entry *entries;
    size_t entry_count, found_count;
    const uint32_t *by_name;
    const char *strings;
};

struct pitot_symbols;
static inline const struct symbol_table *symbol_table_of(const struct pitot_symbols *symbols)
{
    return (const struct symbol_table *)symbols;
}

/*
 * Opens the table in the `room` bytes at `bytes`, for the image with this build id. Returns 0, or
 * -EINVAL and a reason (magic, version, build id, order); the table is then empty.
 */
struct refusal;
int symbol_table_open(struct symbol_table *table, const void *bytes, size_t room,
                      const uint8_t *build_id, size_t build_id_size, struct refusal *why);

/* False if no symbol contains `address`, for example beyond the end of the preceding symbol. */
bool symbol_table_find_address(const struct symbol_table *table, uintptr_t address,
                               struct symbol *found);

/* Returns 0, -ENOENT, or -EEXIST if *count symbols have the name; `found` is the lowest of them. */
int symbol_table_find_name(const struct symbol_table *table, const char *name, struct symbol *found,
                           size_t *count);

/* Finds up to `most` symbols with the names nearest to `wrong`, nearest first. Task context. */
size_t symbol_table_suggest(const struct symbol_table *table, const char *wrong,
                            struct symbol *nearest, size_t most);

/* Finds the symbol at `index` in name order, for completion. Returns false past the end. */
bool symbol_table_by_name(const struct symbol_table *table, size_t index, struct symbol *found);
