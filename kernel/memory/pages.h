/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of 2^order whole pages, aligned to their size: for the rings, the file system, and
 * whatever else needs memory. Addresses are those at which the kernel reaches the memory (the map
 * of all memory). Task and interrupt context. docs/kernel.md tells why it is so.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PAGES_ORDER_MAX 18 /* 1 GiB: the largest ring */
#define PAGES_ORDERS    (PAGES_ORDER_MAX + 1)

/* The order of the smallest block of `count` pages or more; above PAGES_ORDER_MAX for none. */
static inline unsigned pages_order(size_t count)
{
    unsigned order = 0;

    while (order <= PAGES_ORDER_MAX && count > (size_t)1 << order)
        order++;
    return order;
}

/*
 * Gives `count` pages from `start` (a multiple of PAGE_SIZE, not given before) to the allocator,
 * which keeps its notes on them in the first: one page in 4096, at least one. Called at boot for
 * each region of the memory map.
 */
void pages_add(uintptr_t start, size_t count);

/* 2^order pages, zeroed; NULL where no free block is that large. */
void *pages_alloc(unsigned order);

/*
 * Back, as pages_alloc gave it. What is free, foreign, not the start of a block or of another order
 * is a panic.
 */
void pages_free(void *start, unsigned order);

/* How many pages are free, in blocks of whatever order. */
size_t pages_free_count(void);

struct pages_counts {
    size_t total; /* pages that can be given out */
    size_t free;
    size_t free_blocks[PAGES_ORDERS];
};

/* All of one moment. */
struct pages_counts pages_counts(void);
