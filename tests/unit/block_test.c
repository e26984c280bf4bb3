/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/fs/block.c: freed blocks are returned by deferred work, many at once, and before they are
 * needed. The test plays the worker.
 *
 * links: tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/memory.h"
#include "core/lib/assert.h"
#include "kernel/fs/inode.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "kernel/sched/workqueue.h"

#define PAGES 16

static _Alignas(PAGE_SIZE) uint8_t memory[(PAGES + 1) * PAGE_SIZE]; /* one for the allocator */
static struct work *put_off;
static unsigned times_queued;
static unsigned locked;

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

void lock_kernel(void)
{
    locked++;
}

void unlock_kernel(void)
{
    locked--;
}

bool work_queue(struct work *work)
{
    put_off = work;
    times_queued++;
    return true;
}

static void run_work(void)
{
    assert_int_equal(locked, 0); /* work is deferred because the lock may be held */
    assert_non_null(put_off);
    put_off->function(put_off);
    put_off = NULL;
}

void work_flush(void)
{
    run_work();
}

static int give_memory(void **state)
{
    (void)state;
    pages_add((uintptr_t)memory, PAGES + 1);
    block_init(PAGES);
    return 0;
}

static void freed_blocks_come_back_together_when_the_work_runs(void **state)
{
    size_t before = pages_free_count();
    void *blocks[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        assert_non_null(blocks[i] = block_alloc(NULL));
    times_queued = 0;
    for (unsigned i = 0; i < 4; i++)
        block_free(blocks[i], NULL);
    assert_int_equal(times_queued, 1);
    assert_int_equal(pages_free_count(), before - 4);
    fs_settle();
    assert_int_equal(pages_free_count(), before);
    assert_non_null(blocks[0] = block_alloc(NULL));
    block_free(blocks[0], NULL);
    assert_int_equal(times_queued, 2); /* deferred again, as no block was left */
    fs_settle();
    assert_int_equal(pages_free_count(), before);
}

static void a_block_is_on_its_account_until_its_page_is_free(void **state)
{
    struct fs_account mine = {0}, theirs = {0};
    void *blocks[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(blocks[i] = block_alloc(i < 2 ? &mine : &theirs));
    assert_int_equal(mine.pages, 2);
    assert_int_equal(theirs.pages, 1);
    block_free(blocks[1], &mine);
    block_free(blocks[2], &theirs);
    assert_int_equal(mine.pages, 2);
    fs_settle();
    assert_int_equal(mine.pages, 1);
    assert_int_equal(theirs.pages, 0);
    block_free(blocks[0], &mine);
    fs_settle();
    assert_int_equal(mine.pages, 0);
}

/* All blocks are freed, and needed again before the worker has had a turn. */
static void what_waits_for_the_work_is_taken_when_nothing_else_is_left(void **state)
{
    size_t before = pages_free_count();
    void *blocks[PAGES];
    size_t count = 0;

    (void)state;
    while (count < PAGES && (blocks[count] = block_alloc(NULL)) != NULL)
        count++;
    assert_int_equal(pages_free_count(), before - count);
    for (size_t i = 0; i < count; i++)
        block_free(blocks[i], NULL);
    assert_int_equal(pages_free_count(), before - count);
    for (size_t i = 0; i < count; i++)
        assert_non_null(blocks[i] = block_alloc(NULL));
    for (size_t i = 0; i < count; i++)
        block_free(blocks[i], NULL);
    fs_settle();
    assert_int_equal(pages_free_count(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freed_blocks_come_back_together_when_the_work_runs),
        cmocka_unit_test(a_block_is_on_its_account_until_its_page_is_free),
        cmocka_unit_test(what_waits_for_the_work_is_taken_when_nothing_else_is_left),
    };

    return cmocka_run_group_tests(tests, give_memory, NULL);
}
