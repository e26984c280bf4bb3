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
    struct table_row *rows; /* the first at 0; neighbours differ */
    size_t count;
    uint8_t *covered; /* for each byte of the text, 1 if there is information */
};

/*
 * False, with a complaint, if a rule cannot be expressed. Bytes without information have the
 * previous rule (coverage.h). cfi_free even then.
 *
 * With `gaps` these bytes have that rule, and also those whose rule cannot be expressed: they are
 * not covered.
 */
bool cfi_read(struct cfi *cfi, const struct text *text, const struct unwind_rule *gaps);
void cfi_free(struct cfi *cfi);
