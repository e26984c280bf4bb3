/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds an unwind table (core/abi/unwind_table.h) from a list of rules. Called by main.c and
 * tests/unit; uses no ELF and no files.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/abi/unwind_table.h"

/* `rule` holds from `offset` in the text up to the next row. */
struct table_row {
    uint32_t offset;
    struct unwind_rule rule;
};

/* The text that the table describes. */
struct table_text {
    uint64_t address;
    uint32_t size;
    const uint8_t *build_id; /* UNWIND_TABLE_BUILD_ID_SIZE bytes */
};

struct table {
    void *bytes; /* malloc'ed; begins with the header */
    size_t size;
};

/*
 * The rows must be in order of offset, unique, the first at 0, all below text->size, and at most
 * UNWIND_ROWS_MAX. The same rows give the same bytes. Never fails.
 */
void table_build(struct table *table, const struct table_row *rows, size_t count,
                 const struct table_text *text);
