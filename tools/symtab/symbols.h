/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols for a kernel's table. Called by main.c and tests/unit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/image/image.h"
#include "tools/symtab/table.h"

#define SYMTAB_SECTION ".symtab_blob"

/*
 * Stores a malloc'ed list, whose names live until image_close. Returns false, with a complaint, on
 * an error.
 */
bool symbols_read(const struct image *image, struct table_symbol **symbols, size_t *count);
