/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for the tables; a tool without it can only exit. Called by tools/symtab and tools/orcgen,
 * and the unit tests of their tables.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* Returns zeroed memory, which the caller frees, even if `count` is 0. Aborts if there is none. */
static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        abort();
    return memory;
}
