/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See memory.h. First-fit allocation in an array of pages. There are few allocations at a time:
 * rings, counters, a report.
 */
#include "core/embed/memory.h"

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/assert.h"
#include "core/lib/string.h"

#define PAGE_SIZE 4096
#define PAGES     (EMBED_MEMORY / PAGE_SIZE) /* the size is set by lib.mk */

static _Alignas(PAGE_SIZE) uint8_t memory[PAGES][PAGE_SIZE];
static bool taken[PAGES];

static size_t pages_of(size_t bytes)
{
    return (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
}

/* Number of free pages from this one on. */
static size_t run_at(size_t first)
{
    size_t end = first;

    while (end < PAGES && !taken[end])
        end++;
    return end - first;
}

void *embed_memory_take(size_t bytes, struct refusal *why)
{
    size_t most = 0, pages = pages_of(bytes);

    for (size_t first = 0, run; first < PAGES; first += run + 1) {
        run = run_at(first);
        most = run > most ? run : most;
        if (pages > run)
            continue;
        memset(&taken[first], true, pages);
        return memset(memory[first], 0, pages * PAGE_SIZE);
    }
    refuse(why, ENOMEM, "%zu bytes are free in one piece: MEMORY of make lib is %d",
           most * PAGE_SIZE, EMBED_MEMORY);
    return NULL;
}

void embed_memory_give(void *from, size_t bytes)
{
    size_t first = (size_t)((uint8_t *)from - memory[0]) / PAGE_SIZE;

    for (size_t page = first; page < first + pages_of(bytes); page++) {
        assert(page < PAGES && taken[page]);
        taken[page] = false;
    }
}
