/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of the file system: pages, counted under the kernel lock. Task context. Deferred work
 * frees the pages: freeing those of a large file with the kernel lock held would take too long.
 */
#include "kernel/fs/inode.h"

#include "arch/memory.h"
#include "core/lib/assert.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "kernel/sched/workqueue.h"

_Static_assert(BLOCK_SIZE == PAGE_SIZE, "a block is a page");

static size_t used;
static size_t limit;

/*
 * A list of freed pages. Pages are added under the kernel lock; the worker takes the whole list
 * without it.
 */
struct freed {
    struct freed *next;
    struct fs_account *account;
};

static struct freed *freed;

void block_init(size_t most)
{
    lock_kernel();
    limit = most;
    unlock_kernel();
}

static void account_add(struct fs_account *account, long pages)
{
    if (account)
        __atomic_fetch_add(&account->pages, (size_t)pages, __ATOMIC_RELAXED);
}

/* Takes the whole list; pages freed meanwhile are left for the next call. */
static void give_pages_back(struct work *unused)
{
    struct freed *page = __atomic_exchange_n(&freed, NULL, __ATOMIC_ACQUIRE); /* A */

    (void)unused;
    while (page) {
        struct freed *next = page->next;
        struct fs_account *account = page->account;

        pages_free(page, 0);
        account_add(account, -1);
        page = next;
    }
}

static struct work giving_back = {.function = give_pages_back};

void *block_alloc(struct fs_account *account)
{
    void *block = NULL;

    lock_kernel();
    if (used < limit) {
        block = pages_alloc(0);
        if (block == NULL) {
            give_pages_back(NULL);
            block = pages_alloc(0);
        }
    }
    if (block != NULL) {
        used++;
        account_add(account, 1);
    }
    unlock_kernel();
    return block;
}

void block_free(void *block, struct fs_account *account)
{
    struct freed *page = block, *next;

    lock_kernel();
    assert(used > 0);
    used--;
    page->account = account;
    next = __atomic_load_n(&freed, __ATOMIC_RELAXED);
    /* A pairs with give_pages_back: a thread that sees the page sees its link, and may free it. */
    do {
        page->next = next;
    } while (!__atomic_compare_exchange_n(&freed, &next, page, false, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    if (!next)
        work_queue(&giving_back);
    unlock_kernel();
}

void fs_settle(void)
{
    work_flush();
}
