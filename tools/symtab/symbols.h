/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols for a kernel's table. Called by main.c and tests/unit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/image/image.h"
#include "tools/symtab/table.h"

#define SYMTAB_SECTION ".symtab_blob"

/* A malloc'ed list; its names live until image_close. False with a complaint. */
bool symbols_read(const struct image *image, struct table_symbol **symbols, size_t *count);
