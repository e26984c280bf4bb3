/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linked kernel, for the tools that fill a section of it (tools/symtab, tools/orcgen,
 * tools/insnmap): they read symbols and the build id, and write the reserved section, or the room
 * for it that tools/pitot-tables has linked into a kernel that embeds Pitot. Functions that return
 * false have printed the reason.
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
    const char *section; /* name of the reserved section */
    int file;
    Elf *elf;
    off_t reserved_offset; /* of the reserved section in the file */
    size_t reserved_size;
    size_t reserved_index; /* its section number; 0: it is only a part of a section */
    bool measures;         /* image_write prints the size instead */
    /*
     * All zeroes if a kernel that embeds Pitot has no build id. A new link empties the room for
     * tables, so the tables cannot be of another build.
     */
    uint8_t build_id[IMAGE_BUILD_ID_SIZE];
};

enum image_use { IMAGE_READ, IMAGE_WRITE, IMAGE_MEASURE };

/*
 * Opens the file; IMAGE_WRITE permits image_write, which with IMAGE_MEASURE prints the size that it
 * would write. Then the section may be missing. Keeps pointers to the strings. Call image_close
 * even if it fails.
 */
bool image_open(struct image *image, const char *tool, const char *section, const char *path,
                enum image_use use);
void image_close(struct image *image);

/* Prints a message. Always returns false, so that a check reads `return image_complain(...)`. */
__attribute__((format(printf, 2, 3))) bool image_complain(const struct image *image,
                                                          const char *format, ...);

const char *image_section_name(const struct image *image, const GElf_Shdr *header);

/*
 * Returns the contents of .symtab, and its section header; NULL, with a complaint, if there is
 * none.
 */
Elf_Data *image_symtab(const struct image *image, GElf_Shdr *header);

/* Writes the bytes, then zeroes to the end of the reserved section; or prints their number. */
bool image_write(const struct image *image, const void *bytes, size_t size);

/* Returns true if all that was printed has left; otherwise complains. */
bool image_flush_output(const struct image *image);
