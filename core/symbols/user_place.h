/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a program an address was, for readers of recordings: found by the mappings that the
 * recording has noted, as the process may have ended since. Safe in crash paths: no lock, no
 * allocation. The kernel links core/recording/place.c, a test its own function.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/symbols/table.h"

struct user_place {
    unsigned program;     /* its number, from 0, in the order in which the recording met programs */
    const char *path;     /* the path of its file */
    uint64_t file_offset; /* the offset of the address in that file */
    bool named;           /* true: `symbol` is the function that contains it */
    struct symbol symbol;
};

/* False if no code was mapped at the address for that process. */
bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place);

/* Programs use the lower half of the address space. */
static inline bool user_place_possible(uintptr_t address)
{
    return !(address >> 63);
}
