/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linked kernel for the tools that fill a section of it (tools/symtab, tools/orcgen,
 * tools/insnmap): symbols and build id to read, a reserved section to write, or the room for it in
 * build/lib/pitot.o. Functions that return false have printed the reason.
 */
#pragma once

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define IMAGE_BUILD_ID_SIZE 20

struct image {
    const char *tool; /* for complaints */
    const char *path;
    const char *section; /* the reserved one */
    int file;
    Elf *elf;
    off_t reserved_offset; /* of the reserved section in the file */
    size_t reserved_size;
    size_t reserved_index; /* its section number; 0: it is a part of one */
    /*
     * Zeroes if a kernel that embeds Pitot has none. A new link empties its room for tables, so
     * they cannot be of another build.
     */
    uint8_t build_id[IMAGE_BUILD_ID_SIZE];
};

/* `write`: for image_write. Keeps the strings, not copies. image_close even if it fails. */
bool image_open(struct image *image, const char *tool, const char *section, const char *path,
                bool write);
void image_close(struct image *image);

/* Always false, so that a check reads `return image_complain(...)`. */
__attribute__((format(printf, 2, 3))) bool image_complain(const struct image *image,
                                                          const char *format, ...);

const char *image_section_name(const struct image *image, const GElf_Shdr *header);

/* .symtab; NULL, with a complaint, if there is none. `header` is its section's. */
Elf_Data *image_symtab(const struct image *image, GElf_Shdr *header);

/* Writes the bytes, then zeroes to the end of the reserved section. */
bool image_write(const struct image *image, const void *bytes, size_t size);
