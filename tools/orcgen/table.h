/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a list of rules to the bytes of core/abi/unwind_table.h. Knows no ELF and no files, so that
 * a unit test can feed it. Called by main.c, and by tests/unit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/abi/unwind_table.h"

/* From `offset` (counted from the start of the text) up to the next row's, `rule` holds. */
struct table_row {
    uint32_t offset;
    struct unwind_rule rule;
};

/* What the table is of. */
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
 * The rows are in order of offset, none twice, all below text->size, UNWIND_ROWS_MAX at most; the
 * first is at 0. The same rows give the same bytes. Never fails.
 */
void table_build(struct table *table, const struct table_row *rows, size_t count,
                 const struct table_text *text);
