/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a list of symbols to the bytes of core/abi/symtab.h. Knows no ELF and no files, so that a
 * unit test can feed it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_symbol {
    /* Filled by the caller. */
    const char *name; /* must live as long as the symbol */
    uint64_t address;
    uint64_t size;        /* 0: none given */
    uint64_t section_end; /* nothing reaches beyond */
    bool label; /* neither a function nor an object: a label of assembly or of the linker script */
    bool code;  /* in an executable section */
    bool global, weak;
    char kind; /* as nm prints it */

    /* Filled by table_build. */
    uint32_t offset; /* address - base */
    uint32_t order;  /* as given; the last to decide */
    uint64_t reach;  /* size, or where there is none up to the next address */
    bool name_only;
};

struct table {
    void *bytes; /* malloc'ed */
    size_t size;
};

/* False if the symbols lie more than 4 GiB apart. `symbols` is sorted and changed. */
bool table_build(struct table *table, struct table_symbol *symbols, size_t count,
                 const uint8_t *build_id);
