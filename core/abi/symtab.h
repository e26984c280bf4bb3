/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbol table inside the image: tools/symtab writes it into the reserved section after the
 * link, core/symbols/table.c reads it. Little endian; offsets count from the start of the header,
 * and each part starts at a multiple of 4:
 *
 *   struct symtab_header
 *   struct symtab_entry[entry_count]   in two parts, each sorted by offset: the first found_count
 *                                      entries name addresses, one per address; the others, aliases
 *                                      and labels inside functions, are found by name only
 *   uint32_t[entry_count]              indices of entries, sorted by (name, offset)
 *   char[strings_size]                 the names, each ending in NUL
 *
 * An address is base + offset, modulo 2^64. base is the lowest address of the upper half, so the
 * low addresses of the boot code have offsets from 2 GiB up.
 */
#pragma once

#include <stdint.h>

#define SYMTAB_MAGIC         0x4d595350u /* "PSYM" */
#define SYMTAB_VERSION       1
#define SYMTAB_BUILD_ID_SIZE 20

struct symtab_header {
    uint32_t magic;
    uint32_t version;
    uint8_t build_id[SYMTAB_BUILD_ID_SIZE]; /* of the image it was made from */
    uint32_t size;                          /* total, including this header */
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
    uint32_t size;   /* bytes; 0: unknown, extends to the next entry */
    uint32_t name;   /* offset into the strings */
    uint32_t kind;   /* one letter, as nm prints it */
};

_Static_assert(sizeof(struct symtab_entry) == 16, "the format has no hidden padding");
