/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator: a binary buddy system. The free blocks of an order form a list, linked inside
 * the blocks; a byte per page says whether a block begins there. Task and interrupt context; one
 * spinlock, held with interrupts off, covers everything.
 */
#include "kernel/memory/pages.h"

#include <stdbool.h>

#include "arch/memory.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/lock/spinlock.h"

/*
 * Tracepoints: the fields are Linux's (docs/tracepoints.md), plus the block's `address`. `pfn`: the
 * number of its first physical page.
 */

/* The `pfn` of a failed allocation, whose `address` is NULL. */
#define MM_PAGE_NONE UINT64_MAX

#define MM_PAGE_UNMOVABLE 0 /* Linux' MIGRATE_UNMOVABLE: pages are never moved */

PITOT_TRACEPOINT(kmem, mm_page_alloc, 5, PITOT_FIELD(pointer, address, "address=%p"),
                 PITOT_FIELD(u32, order, " order=%u"), PITOT_FIELD(u64, pfn, " pfn=0x%lx"),
                 PITOT_FIELD(s32, migratetype, " migratetype=%d"),
                 PITOT_FIELD(gfp, gfp_flags, " gfp_flags=%s"));
PITOT_TRACEPOINT(kmem, mm_page_free, 3, PITOT_FIELD(pointer, address, "address=%p"),
                 PITOT_FIELD(u32, order, " order=%u"), PITOT_FIELD(u64, pfn, " pfn=0x%lx"));

/*
 * A page's note: if a block begins there, one of these plus the block's order; inside a block, 0.
 */
#define NOTE_INSIDE 0x00
#define NOTE_FREE   0x40
#define NOTE_USED   0x80

_Static_assert(PAGES_ORDER_MAX < NOTE_FREE, "state and order share a byte");

/* Stored at the start of each free block. */
struct free_block {
    struct free_block *next;
    struct free_block **link; /* the pointer to this block: a list's head, or the previous `next` */
};

/* Stored at the start of the pages passed to pages_add. */
struct region {
    struct region *next;
    uintptr_t start, end; /* the pages that can be allocated */
    uint8_t note[];       /* one for each page */
};

static struct spinlock lock = {.name = "pages"};
static struct free_block *free_blocks[PAGES_ORDERS];
static struct region *regions;
static struct pages_counts counts;

static size_t block_size(unsigned order)
{
    return PAGE_SIZE << order;
}

static uint8_t *note_of(struct region *region, uintptr_t address)
{
    return &region->note[(address - region->start) / PAGE_SIZE];
}

/* Returns the region that contains an address; NULL if none does. */
static struct region *region_of(uintptr_t address)
{
    struct region *region = regions;

    while (region != NULL && (address < region->start || address >= region->end))
        region = region->next;
    return region;
}

static void block_put(struct region *region, uintptr_t address, unsigned order)
{
    struct free_block *block = (struct free_block *)address;
    struct free_block **head = &free_blocks[order];

    *block = (struct free_block){.next = *head, .link = head};
    if (block->next != NULL)
        block->next->link = &block->next;
    *head = block;
    counts.free_blocks[order]++;
    *note_of(region, address) = (uint8_t)(NOTE_FREE | order);
}

static void block_take(struct region *region, struct free_block *block, unsigned order)
{
    *block->link = block->next;
    if (block->next != NULL)
        block->next->link = block->link;
    counts.free_blocks[order]--;
    *note_of(region, (uintptr_t)block) = NOTE_INSIDE;
}

/* Merges the block with its buddy while the buddy is free and in the same region. */
static void block_merge(struct region *region, uintptr_t address, unsigned order)
{
    for (; order < PAGES_ORDER_MAX; order++) {
        uintptr_t buddy = address ^ block_size(order);

        if (buddy < region->start || buddy >= region->end ||
            *note_of(region, buddy) != (NOTE_FREE | order))
            break;
        block_take(region, (struct free_block *)buddy, order);
        address &= ~block_size(order);
    }
    block_put(region, address, order);
}

/* Returns the order of the largest block that can begin at `address` and ends by `end`. */
static unsigned largest_order(uintptr_t address, uintptr_t end)
{
    unsigned order = 0;

    while (order < PAGES_ORDER_MAX && address % block_size(order + 1) == 0 &&
           end - address >= block_size(order + 1))
        order++;
    return order;
}

void pages_add(uintptr_t start, size_t count)
{
    struct region *region = (struct region *)start;
    size_t kept = (sizeof(*region) + count + PAGE_SIZE - 1) / PAGE_SIZE;

    assert(start % PAGE_SIZE == 0);
    if (count <= kept)
        return;
    region->start = start + kept * PAGE_SIZE;
    region->end = start + count * PAGE_SIZE;
    memset(region->note, NOTE_INSIDE, count - kept);

    uint64_t flags = spinlock_acquire_irq(&lock);
    region->next = regions;
    regions = region;
    counts.total += count - kept;
    counts.free += count - kept;
    for (uintptr_t at = region->start; at < region->end;) {
        unsigned order = largest_order(at, region->end);

        block_put(region, at, order);
        at += block_size(order);
    }
    spinlock_release_irq(&lock, flags);
}

/* Takes the smallest free block that is large enough, and frees its unused halves. NULL: none. */
static void *take_block(unsigned order)
{
    unsigned found = order;

    while (found <= PAGES_ORDER_MAX && free_blocks[found] == NULL)
        found++;
    if (found > PAGES_ORDER_MAX)
        return NULL;

    struct free_block *block = free_blocks[found];
    struct region *region = region_of((uintptr_t)block);

    block_take(region, block, found);
    while (found > order) {
        found--;
        block_put(region, (uintptr_t)block + block_size(found), found);
    }
    *note_of(region, (uintptr_t)block) = (uint8_t)(NOTE_USED | order);
    counts.free -= (size_t)1 << order;
    return block;
}

void *pages_alloc(unsigned order)
{
    uint64_t flags = spinlock_acquire_irq(&lock);
    void *start = take_block(order);

    spinlock_release_irq(&lock, flags);
    PITOT_TRACE(mm_page_alloc, start, order, start ? arch_page_number(start) : MM_PAGE_NONE,
                MM_PAGE_UNMOVABLE, PITOT_GFP_ZERO);
    /* The pages already belong to the caller, so zeroing them, which takes long, needs no lock. */
    if (start != NULL)
        memset(start, 0, block_size(order));
    return start;
}

void pages_free(void *start, unsigned order)
{
    uintptr_t address = (uintptr_t)start;

    assert(address % PAGE_SIZE == 0);
    assert(order <= PAGES_ORDER_MAX);
    PITOT_TRACE(mm_page_free, start, order, arch_page_number(start));

    uint64_t flags = spinlock_acquire_irq(&lock);
    struct region *region = region_of(address);

    assert(region != NULL);
    assert(*note_of(region, address) == (NOTE_USED | order));
    *note_of(region, address) = NOTE_INSIDE;
    counts.free += (size_t)1 << order;
    block_merge(region, address, order);
    spinlock_release_irq(&lock, flags);
}

size_t pages_free_count(void)
{
    return pages_counts().free;
}

struct pages_counts pages_counts(void)
{
    uint64_t flags = spinlock_acquire_irq(&lock);
    struct pages_counts now = counts;

    spinlock_release_irq(&lock, flags);
    return now;
}
