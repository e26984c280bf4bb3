/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the call frame information that compiler and assembler wrote into .eh_frame to rows of the
 * unwind table. Called by main.c.
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
    uint8_t *covered; /* for each byte of the text, 1 if the information speaks of it */
};

/*
 * False, with a complaint that names the place and the shape, if a rule cannot be expressed. Bytes
 * that nothing covers have the rule of those before them: see coverage.h. cfi_free even then.
 *
 * With `gaps` such bytes have that rule, and so have those whose rule cannot be expressed: they are
 * not covered either.
 */
bool cfi_read(struct cfi *cfi, const struct text *text, const struct unwind_rule *gaps);
void cfi_free(struct cfi *cfi);
