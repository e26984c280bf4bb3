/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's symbols, including local ones, in a table that tools/symtab writes into the image
 * (core/abi/symtab.h) and symbols_init checks. Lookups: any context, NMIs included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/symbols/table.h"

/* Returns 0, or a negative errno and the reason; lookups then find nothing. */
struct refusal;
int symbols_init(const uint8_t *build_id, size_t build_id_size, struct refusal *why);

/* As in core/symbols/table.h. */
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
