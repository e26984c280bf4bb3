/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator: blocks of 2^order pages, aligned to their size. Addresses are in the kernel's
 * map of all memory. Task and interrupt context (docs/kernel.md).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PAGES_ORDER_MAX 18 /* 1 GiB: the largest ring */
#define PAGES_ORDERS    (PAGES_ORDER_MAX + 1)

/*
 * Returns the order of the smallest block of at least `count` pages; above PAGES_ORDER_MAX if there
 * is none.
 */
static inline unsigned pages_order(size_t count)
{
    unsigned order = 0;

    while (order <= PAGES_ORDER_MAX && count > (size_t)1 << order)
        order++;
    return order;
}

/*
 * Adds `count` pages from `start`, a multiple of PAGE_SIZE. The first pages hold the allocator's
 * notes: one page in 4096, at least one. Boot, for each region of the memory map.
 */
void pages_add(uintptr_t start, size_t count);

/* Allocates 2^order zeroed pages. Returns NULL if no free block is that large. */
void *pages_alloc(unsigned order);

/* Frees a block from pages_alloc; panics if `start` or `order` is not that of a block in use. */
void pages_free(void *start, unsigned order);

/* Returns the number of free pages, in blocks of any order. */
size_t pages_free_count(void);

struct pages_counts {
    size_t total; /* pages that can be allocated */
    size_t free;
    size_t free_blocks[PAGES_ORDERS];
};

/* Returns a consistent snapshot. */
struct pages_counts pages_counts(void);
