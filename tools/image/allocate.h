/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for what the tools build: there is always some, for a tool that has none can only end.
 * Called by tools/symtab and tools/orcgen, and so by the unit tests that link their tables.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* All zero; to be freed, also if `count` is 0. Does not return without. */
static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        abort();
    return memory;
}
