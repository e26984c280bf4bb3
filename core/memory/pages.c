/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator: first fit over a list of free runs, which is sorted by address, never has two
 * runs that touch, and lives in the free pages themselves, each run's header at its start. Called
 * from task and interrupt context; one spinlock, interrupts off while it is held, covers everything
 * here.
 */
#include "core/memory/pages.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "core/assert.h"
#include "core/lock/spinlock.h"
#include "core/memory/pages_trace.h"
#include "core/string.h"

#define REGIONS_MAX 64

TRACEPOINT_DEFINE(kmem, mm_page_alloc, MM_PAGE_FIELDS);
TRACEPOINT_DEFINE(kmem, mm_page_free, MM_PAGE_FIELDS);

struct run {
    struct run *next; /* at a higher address, with used pages in between */
    size_t count;     /* pages, this one included */
};

/* What pages_add was given, to know foreign pages by. */
struct region {
    uintptr_t start, end;
};

static struct spinlock lock = {.name = "pages"};
static struct run *runs;
static size_t free_count;
static struct region regions[REGIONS_MAX];
static size_t region_count;

static uintptr_t run_end(const struct run *run)
{
    return (uintptr_t)run + run->count * PAGE_SIZE;
}

static void run_swallow_next(struct run *run)
{
    run->count += run->next->count;
    run->next = run->next->next;
}

static void insert_run(uintptr_t start, size_t count)
{
    uintptr_t end = start + count * PAGE_SIZE;
    struct run *before = NULL;
    struct run **link = &runs;

    while (*link != NULL && (uintptr_t)*link < start) {
        before = *link;
        link = &before->next;
    }

    struct run *after = *link;
    assert(before == NULL || run_end(before) <= start); /* else some of it is free already */
    assert(after == NULL || end <= (uintptr_t)after);

    struct run *run = (struct run *)start;
    *run = (struct run){.next = after, .count = count};
    *link = run;
    free_count += count;

    if (after != NULL && end == (uintptr_t)after)
        run_swallow_next(run);
    if (before != NULL && run_end(before) == start)
        run_swallow_next(before);
}

/* The end of the region that `address` lies in, 0 where it lies in none. */
static uintptr_t region_end(uintptr_t address)
{
    for (size_t i = 0; i < region_count; i++) {
        if (address >= regions[i].start && address < regions[i].end)
            return regions[i].end;
    }
    return 0;
}

/*
 * Regions that touch may hold a run between them, so one region's end is not yet the end of what is
 * ours.
 */
static bool is_ours(uintptr_t start, uintptr_t end)
{
    while (start < end) {
        start = region_end(start);
        if (start == 0)
            return false;
    }
    return true;
}

int pages_add(uintptr_t start, size_t count)
{
    int result = 0;

    assert(start % PAGE_SIZE == 0);
    if (count == 0)
        return 0;

    uint64_t flags = spinlock_acquire_irq(&lock);
    if (region_count < REGIONS_MAX) {
        regions[region_count++] = (struct region){.start = start, .end = start + count * PAGE_SIZE};
        insert_run(start, count);
    } else {
        result = -ENOSPC;
    }
    spinlock_release_irq(&lock, flags);
    return result;
}

/*
 * From the end of the first run that is long enough, so that its header can stay where it is. NULL
 * where there is none.
 */
static void *take_run(size_t count)
{
    struct run **link = &runs;

    while (*link != NULL && (*link)->count < count)
        link = &(*link)->next;
    if (*link == NULL)
        return NULL;

    struct run *run = *link;
    run->count -= count;
    if (run->count == 0)
        *link = run->next;
    free_count -= count;
    return (void *)run_end(run);
}

void *pages_alloc(size_t count)
{
    assert(count > 0);

    uint64_t flags = spinlock_acquire_irq(&lock);
    void *start = take_run(count);
    spinlock_release_irq(&lock, flags);

    TRACE(mm_page_alloc, start, count);
    /* The pages are the caller's by now: the long part needs no lock. */
    if (start != NULL)
        memset(start, 0, count * PAGE_SIZE);
    return start;
}

void pages_free(void *start, size_t count)
{
    uintptr_t address = (uintptr_t)start;

    assert(address % PAGE_SIZE == 0);
    assert(count > 0 && count <= (UINTPTR_MAX - address) / PAGE_SIZE);
    TRACE(mm_page_free, start, count);

    uint64_t flags = spinlock_acquire_irq(&lock);
    assert(is_ours(address, address + count * PAGE_SIZE));
    insert_run(address, count);
    spinlock_release_irq(&lock, flags);
}

size_t pages_free_count(void)
{
    uint64_t flags = spinlock_acquire_irq(&lock);
    size_t count = free_count;

    spinlock_release_irq(&lock, flags);
    return count;
}
