/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a program an address lay, for readers of recordings: by what the recording noted of its
 * mappings, as the process may have ended since. Safe in crash paths: no lock, no allocation. The
 * kernel's answer is core/recording/place.c's, a test's its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/symbols/table.h"

struct user_place {
    unsigned program;     /* its number, from 0 in the order in which the recording met them */
    const char *path;     /* of its file */
    uint64_t file_offset; /* of the address in that file */
    bool named;           /* and `symbol` is the function that it lies in */
    struct symbol symbol;
};

/* False where no code was mapped for that process. */
bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place);

/* Programs have the lower half. */
static inline bool user_place_possible(uintptr_t address)
{
    return !(address >> 63);
}
