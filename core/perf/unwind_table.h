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
    const struct unwind_block *blocks;
    const uint32_t *groups;
    const uint16_t *rows;
    const struct unwind_rule *rules;
    const struct unwind_exception *exceptions;
    uint32_t exception_count;
};

/* What a table must be made for. */
struct unwind_table_expected {
    const uint8_t *build_id; /* UNWIND_TABLE_BUILD_ID_SIZE bytes */
    uintptr_t text, text_end;
};

/*
 * 0; or -EINVAL and a reason, with *table covering nothing: wrong magic, version, build id or text,
 * a wrong checksum, parts outside the `room` bytes, rows, rules or exceptions out of order.
 * `bytes` is a multiple of 8 and stays in use. Task context.
 */
struct refusal;
int unwind_table_open(struct unwind_table *table, const void *bytes, size_t room,
                      const struct unwind_table_expected *expected, struct refusal *why);

/*
 * The code of the rule that holds at text + offset; offset < text_size. Among many rows it halves
 * until few are left, which is rare; the last that holds is then looked for from behind, as the
 * first is known to hold and ends the loop. Both loops are branches, not arithmetic: a processor
 * that has learnt them goes on before the rows that it compares have come.
 */
#define UNWIND_ROWS_FEW 16

static inline unsigned unwind_table_code(const struct unwind_table *table, uint32_t offset)
{
    const struct unwind_block *block = &table->blocks[offset >> UNWIND_BLOCK_SHIFT];
    const unsigned here = UNWIND_ROW(offset % UNWIND_BLOCK, UINT8_MAX);
    const uint16_t *row;
    unsigned left = block->row_count;

    if (left == 0)
        return block->code;
    row = table->rows + table->groups[offset >> UNWIND_GROUP_SHIFT] + block->row;
    while (__builtin_expect(left > UNWIND_ROWS_FEW, 0)) {
        unsigned half = left / 2;

        if (row[half] > here) {
            left = half;
        } else {
            row += half;
            left -= half;
        }
    }
    if (*row > here) /* the block's first: halving goes to rows that hold */
        return block->code;
    for (row += left - 1; *row > here; row--)
        ;
    return UNWIND_ROW_CODE(*row);
}

/* The rule that `code`, found at text + offset, stands for. */
struct unwind_rule unwind_table_rule(const struct unwind_table *table, uint32_t offset,
                                     unsigned code);
