/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Free pages are reached through the map of all memory, which long_mode.asm made for the first 4
 * GiB and paging_init makes for everything: so pages below 4 GiB are handed out first, the page
 * tables are built in them, and the rest follows.
 */
#include "boot/memory.h"

#include "arch/x86_64/memory/sections.h"
#include "arch/x86_64/memory/space.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"

#define IMAGE_START 0x100000ull /* the part before paging included */

/* Enough for the default ring, the file system's load and the page tables. */
#define PAGES_NEEDED (4u << 20 >> 12)

const void *memory_reach(uint64_t physical, size_t length)
{
    if (physical >= BOOT_MAP_END || length > BOOT_MAP_END - physical)
        return NULL;
    return direct_address(physical);
}

static uint64_t least(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

static uint64_t most(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

/* What is not free, whatever the memory map says: the image, what the loader left. */
#define HOLES 3

/* [start, end) without the holes. */
static void memory_free(const struct paging_range *holes, unsigned count, uint64_t start,
                        uint64_t end)
{
    if (start >= end)
        return;
    if (count == 0) {
        pages_add((uintptr_t)direct_address(start), (end - start) / PAGE_SIZE);
        return;
    }
    memory_free(holes + 1, count - 1, start, least(end, holes->start));
    memory_free(holes + 1, count - 1, most(start, holes->end), end);
}

/* The part of all memory inside [start, end). */
static void memory_free_all(const struct boot_information *information, uint64_t start,
                            uint64_t end)
{
    const struct paging_range holes[HOLES] = {
        {IMAGE_START, image_physical(image_end)}, information->loader, information->module};

    for (size_t i = 0; i < information->memory_count; i++)
        memory_free(holes, HOLES, most(information->memory[i].start, start),
                    least(information->memory[i].end, end));
}

static void *memory_allocate_page(void)
{
    return pages_alloc(0);
}

static void memory_give_page_back(void *page)
{
    pages_free(page, 0);
}

void memory_init(const struct boot_information *information)
{
    memory_free_all(information, 0, BOOT_MAP_END);
    if (!paging_init(information->memory, information->memory_count, memory_allocate_page) ||
        pages_free_count() < PAGES_NEEDED)
        panic("too little memory: %zu KiB are free, %u are needed", pages_free_count() * 4,
              PAGES_NEEDED * 4);
    memory_free_all(information, BOOT_MAP_END, UINT64_MAX);
    space_init(memory_allocate_page, memory_give_page_back);
}
