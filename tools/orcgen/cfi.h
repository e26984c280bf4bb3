/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the call frame information of .eh_frame to rows of the unwind table. Called by main.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/image/text.h"
#include "tools/orcgen/table.h"

struct cfi {
    struct table_row *rows; /* the first at offset 0; neighbours differ */
    size_t count;
    uint8_t *covered; /* for each byte of the text, 1 if there is information */
};

/*
 * Returns false, with a complaint, if a rule cannot be expressed; call cfi_free even then. Bytes
 * without information have the previous rule (coverage.h).
 *
 * With `gaps`, bytes without information, and those whose rule cannot be expressed, have the rule
 * `gaps`, and are not covered.
 */
bool cfi_read(struct cfi *cfi, const struct text *text, const struct unwind_rule *gaps);
void cfi_free(struct cfi *cfi);
