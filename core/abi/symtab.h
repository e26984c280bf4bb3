/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbol table inside the image: written by tools/symtab into the reserved section after the
 * link, read by core/symbols/symbols.c. Little endian, all offsets from the start of the header,
 * each part a multiple of 4 from it:
 *
 *   struct symtab_header
 *   struct symtab_entry[entry_count]   in two parts, each in order of offset. The first found_count
 *                                      are what addresses are named by, one for each address; the
 *                                      others, aliases and labels inside functions, are only names
 *   uint32_t[entry_count]              indices of entries in order of (name, offset)
 *   char[strings_size]                 the names, each ending in NUL
 *
 * An address is base + offset, modulo 2^64: base is the lowest address of the upper half, and the
 * low addresses of the boot code follow 2 GiB after it.
 */
#pragma once

#include <stdint.h>

#define SYMTAB_MAGIC         0x4d595350u /* "PSYM" */
#define SYMTAB_VERSION       1
#define SYMTAB_BUILD_ID_SIZE 20

struct symtab_header {
    uint32_t magic;
    uint32_t version;
    uint8_t build_id[SYMTAB_BUILD_ID_SIZE]; /* of the image that the table was made from */
    uint32_t size;                          /* of everything, header included */
    uint64_t base;
    uint32_t entry_count;
    uint32_t found_count; /* <= entry_count */
    uint32_t entries;
    uint32_t by_name;
    uint32_t strings;
    uint32_t strings_size;
};

_Static_assert(sizeof(struct symtab_header) == 64, "the format has no hidden padding");

struct symtab_entry {
    uint32_t offset; /* address - base */
    uint32_t size;   /* bytes; 0: not known, taken to reach up to the next entry */
    uint32_t name;   /* into the strings */
    uint32_t kind;   /* one letter, as nm prints it */
};

_Static_assert(sizeof(struct symtab_entry) == 16, "the format has no hidden padding");
