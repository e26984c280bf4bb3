/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See boot.h. Free pages are accessed through the mapping of all memory, which at first covers
 * only 4 GiB (long_mode.asm). So pages below 4 GiB are freed first, and paging_init builds the page
 * tables in them.
 */
#include "boot/boot.h"

#include "kernel/host.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"

#define IMAGE_START  0x100000ull      /* including the part that runs before paging */
#define PAGES_NEEDED (4u << 20 >> 12) /* the default ring, a file system, page tables */

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

#define HOLES 4 /* used memory: the image, the loader's information, the module, the kept memory */

/* Memory that a reset leaves alone: firmware and GRUB use other places (docs/crash.md). */
#define KEPT_START (32ull << 20)
#define KEPT_NEEDS (112ull << 20) /* minimum of free memory: 128 MiB less the firmware's share */
#define KEPT_SHARE 32             /* keeps 1/KEPT_SHARE of all memory, */
#define KEPT_UNIT  (1ull << 20)   /* ... rounded down to a multiple of this, */
#define KEPT_MOST  (64ull << 20)  /* ... at most this much */

/* Frees [start, end) except for the holes. */
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

static bool memory_overlaps(const struct paging_range *range, uint64_t start, uint64_t end)
{
    return range->start < end && start < range->end;
}

/* Returns the memory to keep: empty if the machine is too small, or the loader uses that memory. */
static struct paging_range memory_find_kept(const struct boot_information *information)
{
    struct paging_range kept = {KEPT_START, KEPT_START};
    uint64_t all = 0, size;
    bool whole = false;

    for (size_t i = 0; i < information->memory_count; i++)
        all += information->memory[i].end - information->memory[i].start;
    size = least(all / KEPT_SHARE, KEPT_MOST) / KEPT_UNIT * KEPT_UNIT;
    for (size_t i = 0; i < information->memory_count; i++)
        whole |= information->memory[i].start <= KEPT_START &&
                 information->memory[i].end >= KEPT_START + size;
    if (all >= KEPT_NEEDS && whole && image_physical(image_end) <= KEPT_START &&
        !memory_overlaps(&information->loader, KEPT_START, KEPT_START + size) &&
        !memory_overlaps(&information->module, KEPT_START, KEPT_START + size))
        kept.end += size;
    return kept;
}

/* Frees the part of all memory that is in [start, end). */
static void memory_free_all(const struct boot_information *information,
                            const struct paging_range *kept, uint64_t start, uint64_t end)
{
    const struct paging_range holes[HOLES] = {
        {IMAGE_START, image_physical(image_end)}, information->loader, information->module, *kept};

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
    const struct paging_range kept = memory_find_kept(information);
    bool keeps = kept.start < kept.end;
    size_t variables = (uintptr_t)kept_end - (uintptr_t)kept_start;

    memory_free_all(information, &kept, 0, BOOT_MAP_END);
    if (!paging_init(information->memory, information->memory_count, keeps ? kept.start : 0,
                     memory_allocate_page) ||
        pages_free_count() < PAGES_NEEDED)
        panic("too little memory: %zu KiB are free, %u are needed", pages_free_count() * 4,
              PAGES_NEEDED * 4);
    memory_free_all(information, &kept, BOOT_MAP_END, UINT64_MAX);
    if (keeps)
        host_set_kept(direct_address(kept.start + variables), kept.end - kept.start - variables);
    space_init(memory_allocate_page, memory_give_page_back);
}
