/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own symbols, local ones included: address -> name by binary search, name -> address
 * by another. The table (core/abi/symtab.h) is written into the image by tools/symtab after the
 * link; symbols_init checks it. Look-ups read constant memory only, so they are safe in every
 * context, NMI included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/symbols/table.h"

/*
 * Returns 0, or a negative errno and a reason (wrong magic, version, build id, order); then
 * look-ups find nothing.
 */
struct refusal;
int symbols_init(const uint8_t *build_id, size_t build_id_size, struct refusal *why);

/*
 * The symbol that contains `address`; false if none does, for example if it is beyond the end of
 * the symbol before it.
 */
bool symbols_find_address(uintptr_t address, struct symbol *found);

/*
 * Returns 0; -ENOENT; or -EEXIST if several symbols have the name (then `found` is the lowest, and
 * *count is their number).
 */
int symbols_find_name(const char *name, struct symbol *found, size_t *count);

/*
 * Up to `most` symbols whose names are nearest to `wrong` (by edit distance, nearest first). Task
 * context.
 */
size_t symbols_suggest(const char *wrong, struct symbol *nearest, size_t most);

/* The index-th symbol in order of names, for completion; false past the end. */
bool symbols_by_name(size_t index, struct symbol *found);
size_t symbols_count(void);

/* "name+0x12" or "0xffff..." into `text`; for crash paths too. Returns text. */
const char *symbols_describe(uintptr_t address, char *text, size_t size);

/*
 * The same for a return address. A call may be the last instruction of its function: so the
 * function is looked up at the call, while the offset is that of the return address.
 */
const char *symbols_describe_return(uintptr_t address, char *text, size_t size);
