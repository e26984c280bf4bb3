/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's symbols, including local ones: binary search by address and by name. tools/symtab
 * writes the table (core/abi/symtab.h) into the image after the link; symbols_init checks it.
 * Lookups only read constant memory, so they are safe in every context, including NMIs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/symbols/table.h"

/*
 * Returns 0, or a negative errno and a reason (wrong magic, version, build id, order); lookups then
 * find nothing.
 */
struct refusal;
int symbols_init(const uint8_t *build_id, size_t build_id_size, struct refusal *why);

/*
 * Finds the symbol that contains `address`; false if there is none, for example beyond the end of
 * the preceding symbol.
 */
bool symbols_find_address(uintptr_t address, struct symbol *found);

/*
 * Returns 0, -ENOENT, or -EEXIST if several symbols have the name (`found` is then the lowest of
 * them, and *count their number).
 */
int symbols_find_name(const char *name, struct symbol *found, size_t *count);

/*
 * Finds up to `most` symbols with the names nearest to `wrong`, by edit distance, nearest first.
 * Task context.
 */
size_t symbols_suggest(const char *wrong, struct symbol *nearest, size_t most);

/* The symbol at `index` in name order, for completion; false past the end. */
bool symbols_by_name(size_t index, struct symbol *found);
size_t symbols_count(void);

/* Writes "name+0x12" or "0xffff..." to `text`, and returns it. Safe in crash paths. */
const char *symbols_describe(uintptr_t address, char *text, size_t size);

/*
 * The same for a return address. A call may be the last instruction of its function, so the
 * function is looked up at the call, but the offset is that of the return address.
 */
const char *symbols_describe_return(uintptr_t address, char *text, size_t size);
