/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a symbol table (core/abi/symtab.h) from a list of symbols. Uses no ELF and no files, for
 * unit tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_symbol {
    /* Filled by the caller. */
    const char *name; /* not copied */
    uint64_t address;
    uint64_t size;        /* 0: none given */
    uint64_t section_end; /* the symbol does not reach beyond */
    bool label;           /* of assembly or the linker script: neither function nor object */
    bool code;            /* in an executable section */
    bool global, weak;
    char kind; /* as nm prints it */

    /* Filled by table_build. */
    uint32_t offset; /* address - base */
    uint32_t order;  /* as given, to break ties */
    uint64_t reach;  /* size; without one, up to the next address */
    bool name_only;
};

struct table {
    void *bytes; /* malloc'ed */
    size_t size;
};

/* False if the symbols lie more than 4 GiB apart. `symbols` is sorted and changed. */
bool table_build(struct table *table, struct table_symbol *symbols, size_t count,
                 const uint8_t *build_id);
