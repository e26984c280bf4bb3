/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of whole pages: for the rings, the file system, and whatever else needs memory. Addresses
 * are those at which the kernel reaches the memory (the map of all memory). Task and interrupt
 * context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/*
 * Gives `count` pages from `start` (a multiple of PAGE_SIZE, not given before) to the allocator.
 * Called at boot for each region of the memory map. 0, or -ENOSPC after more regions than it can
 * tell apart (the region is then left unused).
 */
int pages_add(uintptr_t start, size_t count);

/* `count` pages (at least 1) in a row, zeroed; NULL where no free run is that long. */
void *pages_alloc(size_t count);

/*
 * Back, in the pieces that pages_alloc gave or in others; freeing what is free or foreign is a
 * panic.
 */
void pages_free(void *start, size_t count);

/* How many pages are free, in however many runs. */
size_t pages_free_count(void);
