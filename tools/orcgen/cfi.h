/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the call frame information of .eh_frame to rows of the unwind table, and checks that all
 * code has some: the rest must be padding. Called by main.c.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/unwind_table.h"
#include "tools/image/text.h"
#include "tools/orcgen/table.h"

struct cfi {
    struct table_row *rows; /* the first at offset 0; neighbours differ */
    size_t count;
    uint8_t *covered; /* for each byte of the text, 1 if there is information */
};

/*
 * Returns false, with a complaint, if a rule cannot be expressed; call cfi_free even then. Bytes
 * without information have the previous rule.
 *
 * With `gaps`, bytes without information, and those whose rule cannot be expressed, have the rule
 * `gaps`, and are not covered.
 */
bool cfi_read(struct cfi *cfi, const struct text *text, const struct unwind_rule *gaps);
void cfi_free(struct cfi *cfi);

/*
 * `covered` has an element for each byte of the text. Returns false, with a complaint, at
 * the first code that is not covered. With `gaps`, a text for the complaints, reports and counts
 * all such code instead.
 */
bool coverage_check(const struct text *text, const uint8_t *covered, const char *gaps);

/* --- One row: cfi_rule.c. --- */

/* Describes a row that the table cannot express, and what it could express. */
struct cfi_shape {
    char words[256];
    const char *wanted;
};

/* Returns false, and fills *shape, if the table cannot express the row. */
bool cfi_rule(struct unwind_rule *rule, Dwarf_Frame *frame, bool signal, struct cfi_shape *shape);
