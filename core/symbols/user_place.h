/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locates a program's address by the recorded mappings, as the process may have exited. Safe in
 * crash paths: no lock, no allocation. Implemented in core/recording/tasks.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/symbols/table.h"

struct user_place {
    unsigned program;     /* from 0, in order of first appearance in the recording */
    const char *path;     /* the path of its file */
    uint64_t file_offset; /* of the address in that file */
    bool named;           /* `symbol` is the function that contains the address */
    struct symbol symbol;
};

/* Returns false if the process had no code mapped at the address. */
bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place);

/* Programs use the lower half of the address space. */
static inline bool user_place_possible(uintptr_t address)
{
    return !(address >> 63);
}
