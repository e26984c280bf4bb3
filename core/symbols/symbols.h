/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbol tables of the kernel and of programs, local symbols included, as tools/symtab writes them
 * (core/abi/symtab.h). Opened and checked once, in task context; lookups: any context, NMIs
 * included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- One table: table.c. --- */

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
    static const struct symbol_table none;

    return symbols ? (const struct symbol_table *)symbols : &none;
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

/* --- The kernel's, in its image. --- */

/* Returns 0, or a negative errno and the reason; lookups then find nothing. */
int symbols_init(const uint8_t *build_id, size_t build_id_size, struct refusal *why);

/* As for one table. */
bool symbols_find_address(uintptr_t address, struct symbol *found);
int symbols_find_name(const char *name, struct symbol *found, size_t *count);
bool symbols_by_name(size_t index, struct symbol *found);
size_t symbols_count(void);

/* Finds up to `most` symbols with the names nearest to `wrong`, nearest first. Task context. */
size_t symbols_suggest(const char *wrong, struct symbol *nearest, size_t most);

/* Writes "name+0x12" or "0xffff..." to `text`, and returns it. Safe in crash paths. */
const char *symbols_describe(uintptr_t address, char *text, size_t size);

/*
 * The same for a return address: names the function that contains the call, which may be the
 * function's last instruction.
 */
const char *symbols_describe_return(uintptr_t address, char *text, size_t size);

/* --- A program's address, by the recorded mappings: core/recording/tasks.c. --- */

/* Of a process that may have exited. */
struct user_place {
    unsigned program;     /* from 0, in order of first appearance in the recording */
    const char *path;     /* the path of its file */
    uint64_t file_offset; /* of the address in that file */
    bool named;           /* `symbol` is the function that contains the address */
    struct symbol symbol;
};

/* Returns false if the process had no code mapped at the address. Safe in crash paths: no lock. */
bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place);

/* Programs use the lower half of the address space. */
static inline bool user_place_possible(uintptr_t address)
{
    return !(address >> 63);
}
