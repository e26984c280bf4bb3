/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of the file system: pages, counted. Called by core/fs/inode.c in task context, with or
 * without the kernel lock, which covers the two counters.
 */
#include "core/fs/block.h"

#include "core/assert.h"
#include "core/lock/kernel_lock.h"
#include "core/memory/pages.h"

_Static_assert(BLOCK_SIZE == PAGE_SIZE, "a block is a page");

static size_t used;
static size_t limit;

void block_init(size_t most)
{
    lock_kernel();
    limit = most;
    unlock_kernel();
}

void *block_alloc(void)
{
    void *block = NULL;

    lock_kernel();
    if (used < limit)
        block = pages_alloc(0);
    if (block != NULL)
        used++;
    unlock_kernel();
    return block;
}

void block_free(void *block)
{
    lock_kernel();
    assert(used > 0);
    used--;
    pages_free(block, 0);
    unlock_kernel();
}
