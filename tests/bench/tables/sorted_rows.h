/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table with which the kernel's is compared: rows of 10 bytes, sorted by address, in two
 * arrays, and an index of 4 bytes for each 256 bytes of text, where the search begins. The layout,
 * and so the size, is that of Linux' ORC tables (4 bytes of address, 6 of rule); the code is not
 * Linux'.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/unwind_table.h"

#define SORTED_BLOCK_SHIFT 8

/* 6 bytes: the two offsets, then the bases of each. */
struct sorted_rule {
    int16_t cfa_offset, saved_offset;
    uint8_t base; /* DWARF number; SORTED_NO_BASE: the rule cannot be followed */
    uint8_t saved;
};

_Static_assert(sizeof(struct sorted_rule) == 6, "a row's rule takes 6 bytes");

#define SORTED_NO_BASE UINT8_MAX

struct sorted_rows {
    int32_t *offsets; /* from the start of the text, ascending; the first is 0 */
    struct sorted_rule *rules;
    uint32_t *index; /* of the last row at or below each block's first byte; one more at the end */
    uint32_t count, blocks;
};

/* Allocates `most` rows for a text of so many bytes. False: out of memory. */
bool sorted_rows_init(struct sorted_rows *table, size_t most, uint32_t text_size);

/* Called in order of offset, first with 0; a rule equal to the previous one adds no row. */
void sorted_rows_add(struct sorted_rows *table, uint32_t offset, const struct unwind_rule *rule);

/* Called once all are added. */
void sorted_rows_finish(struct sorted_rows *table);
void sorted_rows_free(struct sorted_rows *table);

size_t sorted_rows_bytes(const struct sorted_rows *table);

static inline const struct sorted_rule *sorted_rows_find(const struct sorted_rows *table,
                                                         uint32_t offset)
{
    uint32_t block = offset >> SORTED_BLOCK_SHIFT;
    uint32_t low = table->index[block], high = table->index[block + 1] + 1;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (table->offsets[middle] <= (int32_t)offset)
            low = middle;
        else
            high = middle;
    }
    return &table->rules[low];
}
