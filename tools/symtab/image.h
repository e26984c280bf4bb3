/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linked kernel as this tool sees it: symbols and a build id to read, a reserved section to
 * fill. Functions that return false have printed the reason.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/abi/symtab.h"
#include "tools/symtab/table.h"

#define RESERVED_SECTION ".symtab_blob"

struct image {
    const char *path;
    int file;
    Elf *elf;
    off_t reserved_offset; /* of the reserved section in the file */
    size_t reserved_size;
    size_t reserved_index; /* its section number */
    uint8_t build_id[SYMTAB_BUILD_ID_SIZE];
};

bool image_open(struct image *image, const char *path);
void image_close(struct image *image);

/* A malloc'ed list; its names live until image_close. */
bool image_symbols(struct image *image, struct table_symbol **symbols, size_t *count);

/* Fills the reserved section: the bytes, then zeroes. */
bool image_write(struct image *image, const struct table *table);
