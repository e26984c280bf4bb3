/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookups in an unwind table (core/abi/unwind_table.h). Opening a table validates all of it, so
 * that lookups need no checks. Nothing is written afterwards: any context, NMI included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/unwind_table.h"

/* A table prepared for lookups. A zeroed one covers nothing. */
struct unwind_table {
    uintptr_t text;     /* address of the first byte covered */
    uint32_t text_size; /* 0: no table */
    const uint32_t *blocks;
    const struct unwind_row *rows;
    const struct unwind_rule *rules;
    const struct unwind_exception *exceptions;
    uint32_t exception_count;
};

/* The build that a table must match. */
struct unwind_table_expected {
    const uint8_t *build_id; /* UNWIND_TABLE_BUILD_ID_SIZE bytes */
    uintptr_t text, text_end;
};

/*
 * Validates the table in `bytes`, which is 8-byte aligned and stays valid. Returns 0, or -EINVAL, a
 * reason (magic, version, build ID, text, checksum, parts outside the `room` bytes, order) and a
 * table that covers nothing. Task context.
 */
struct refusal;
int unwind_table_open(struct unwind_table *table, const void *bytes, size_t room,
                      const struct unwind_table_expected *expected, struct refusal *why);

/*
 * Returns the code of the rule at text + offset, where offset < text_size: the code of the block's
 * last row that begins at or before the offset, or the block's own code if no row does. Searches
 * backwards from the last row; the first row is checked before, so the loop ends there. Uses
 * branches rather than arithmetic, because a processor that predicts them continues before the rows
 * have arrived from memory.
 */
static inline unsigned unwind_table_code(const struct unwind_table *table, uint32_t offset)
{
    const struct unwind_row *first, *row;
    uint8_t here = offset % UNWIND_BLOCK;
    uint64_t blocks; /* this block in the lower half, the next in the upper: one load */

    __builtin_memcpy(&blocks, &table->blocks[offset >> UNWIND_BLOCK_SHIFT], sizeof(blocks));
    first = &table->rows[UNWIND_BLOCK_ROW((uint32_t)blocks)];
    row = &table->rows[UNWIND_BLOCK_ROW(blocks >> 32)];
    if (row == first || here < first->start)
        return UNWIND_BLOCK_CODE((uint32_t)blocks);
    do
        row--;
    while (here < row->start);
    return row->code;
}

/* Returns the rule for `code`, which unwind_table_code found at text + offset. */
struct unwind_rule unwind_table_rule(const struct unwind_table *table, uint32_t offset,
                                     unsigned code);
