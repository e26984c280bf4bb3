/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of symbols as tools/symtab writes it (core/abi/symtab.h): address -> name by binary
 * search, name -> address by another. The kernel has one of its own (core/symbols/symbols.h), and
 * each program one in its file. A table is checked once, when it is opened; look-ups then only read
 * its memory, which does not change, so they are safe in every context, NMI included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    const char *name; /* valid as long as the table */
    uintptr_t address;
    size_t size; /* bytes; 0 if the object file has none */
    char kind;   /* as nm prints it: t T d D r R b B */
};

/* All zero: a table without symbols. */
struct symbol_table {
    uint64_t base;
    const struct symtab_entry *entries;
    size_t entry_count, found_count;
    const uint32_t *by_name;
    const char *strings;
};

/*
 * Opens the table in these `room` bytes, for the image with this build id. Returns 0, or -EINVAL
 * and a reason (magic, version, build id, order); then the table has no symbols.
 */
struct refusal;
int symbol_table_open(struct symbol_table *table, const void *bytes, size_t room,
                      const uint8_t *build_id, size_t build_id_size, struct refusal *why);

/*
 * The symbol that contains `address`; false if none does, for example if it is beyond the end of
 * the symbol before it.
 */
bool symbol_table_find_address(const struct symbol_table *table, uintptr_t address,
                               struct symbol *found);

/*
 * Returns 0; -ENOENT; or -EEXIST if several symbols have the name (then `found` is the lowest, and
 * *count is their number).
 */
int symbol_table_find_name(const struct symbol_table *table, const char *name, struct symbol *found,
                           size_t *count);

/* The index-th symbol in order of names; false past the end. */
bool symbol_table_by_name(const struct symbol_table *table, size_t index, struct symbol *found);
