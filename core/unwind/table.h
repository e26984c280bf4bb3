/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in an unwind table (format: core/abi/unwind_table.h). Opened once, which checks all of
 * it, so that a look-up needs no checks of its own. Nothing here writes afterwards: look-ups are
 * for any context, NMI included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/unwind_table.h"

/* A table as its look-ups use it. Zeroed, it covers nothing. */
struct unwind_table {
    uintptr_t text;     /* address of the first byte covered */
    uint32_t text_size; /* 0: no table */
    const uint32_t *blocks;
    const struct unwind_row *rows;
    const struct unwind_rule *rules;
    const struct unwind_exception *exceptions;
    uint32_t exception_count;
};

/* What a table must have been made for. */
struct unwind_table_expected {
    const uint8_t *build_id; /* UNWIND_TABLE_BUILD_ID_SIZE bytes */
    uintptr_t text, text_end;
};

/*
 * Returns 0, or -EINVAL and a reason; then *table covers nothing. Reasons: a wrong magic, version,
 * build id, text or checksum, parts outside the `room` bytes, or rows, rules or exceptions out of
 * order. `bytes` is a multiple of 8 and stays in use. Task context.
 */
struct refusal;
int unwind_table_open(struct unwind_table *table, const void *bytes, size_t room,
                      const struct unwind_table_expected *expected, struct refusal *why);

/*
 * The code of the rule that holds at text + offset; offset < text_size. It is that of the block's
 * last row that begins at or before the offset. The search runs from the last row to the first; the
 * first row begins early enough in any case, so it ends the loop. The search uses branches, not
 * arithmetic: a processor that predicts them continues before the rows that it compares have
 * arrived from memory.
 */
static inline unsigned unwind_table_code(const struct unwind_table *table, uint32_t offset)
{
    const struct unwind_row *first, *row;
    uint8_t here = offset % UNWIND_BLOCK;
    uint64_t blocks; /* this one, and above it the next one: by one load */

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

/* The rule that `code`, found at text + offset, stands for. */
struct unwind_rule unwind_table_rule(const struct unwind_table *table, uint32_t offset,
                                     unsigned code);
