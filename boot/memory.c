/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Free pages are reached through the map of all memory, which long_mode.asm made for the first 4
 * GiB and paging_init makes for everything: so pages below 4 GiB are handed out first, the page
 * tables are built in them, and the rest follows.
 */
#include "boot/memory.h"

#include "arch/x86_64/sections.h"
#include "core/memory/pages.h"
#include "core/panic.h"

#define IMAGE_START 0x100000ull /* the part before paging included */

/* Enough for the default ring, the file system's load and the page tables. */
#define PAGES_NEEDED (4u << 20 >> 12)

static uint64_t least(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

static uint64_t most(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

/* The part of `range` inside [start, end), without the image. */
static void memory_free(const struct paging_range *range, uint64_t start, uint64_t end)
{
    uint64_t image_last = image_physical(image_end);
    uint64_t from = most(range->start, start), to = least(range->end, end);

    if (from < to && from < image_last && to > IMAGE_START) {
        memory_free(&(struct paging_range){from, least(to, IMAGE_START)}, from, to);
        from = most(from, image_last);
    }
    if (from < to)
        pages_add((uintptr_t)direct_address(from), (to - from) / PAGE_SIZE);
}

static void *memory_allocate_page(void)
{
    return pages_alloc(0);
}

void memory_init(const struct boot_information *information)
{
    const struct paging_range *loader = &information->loader;

    for (size_t i = 0; i < information->memory_count; i++) {
        const struct paging_range *range = &information->memory[i];

        memory_free(range, 0, least(loader->start, BOOT_MAP_END));
        memory_free(range, loader->end, BOOT_MAP_END);
    }
    if (!paging_init(information->memory, information->memory_count, memory_allocate_page) ||
        pages_free_count() < PAGES_NEEDED)
        panic("too little memory: %zu KiB are free, %u are needed", pages_free_count() * 4,
              PAGES_NEEDED * 4);
    for (size_t i = 0; i < information->memory_count; i++)
        memory_free(&information->memory[i], BOOT_MAP_END, UINT64_MAX);
}
