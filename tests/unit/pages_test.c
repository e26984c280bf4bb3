/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator against a map of which pages are in use, over regions that touch and regions
 * that do not.
 *
 * links: core/memory/pages.c core/lock/lock_trace.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/errno.h>

#include "arch/arch.h"
#include "core/assert.h"
#include "core/memory/pages.h"

#define PAGES     256
#define GAP       130 /* these pages are never given to the allocator */
#define GAP_END   140
#define BLOCKS    64
#define CAUGHT    42 /* how a child exits that an assert ended */
#define PAGE_BITS 12

static uint8_t *memory;
static bool used[PAGES];

struct block {
    size_t first, count; /* pages; count 0: no block */
};

static struct block blocks[BLOCKS];

unsigned arch_cpu_id(void)
{
    return 0;
}

uint64_t arch_irq_save(void)
{
    return 0;
}

void arch_irq_restore(uint64_t flags)
{
    (void)flags;
}

void arch_relax(void)
{
}

void assert_failed(const char *claim, const char *file, int line)
{
    (void)claim;
    (void)file;
    (void)line;
    _exit(CAUGHT);
}

static void *page(size_t index)
{
    return memory + (index << PAGE_BITS);
}

static int give_memory(void **state)
{
    (void)state;
    memory = aligned_alloc(PAGE_SIZE, PAGES * PAGE_SIZE);
    memset(memory, 0xee, PAGES * PAGE_SIZE);
    memset(used + GAP, true, GAP_END - GAP);

    /* In no order; the last closes the room between two that are there. */
    assert_int_equal(pages_add((uintptr_t)page(GAP_END), PAGES - GAP_END), 0);
    assert_int_equal(pages_add((uintptr_t)page(0), 60), 0);
    assert_int_equal(pages_add((uintptr_t)page(100), GAP - 100), 0);
    assert_int_equal(pages_add((uintptr_t)page(60), 40), 0);
    assert_int_equal(pages_add((uintptr_t)page(GAP), 0), 0);
    return 0;
}

static int take_memory(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

static size_t model_free_count(void)
{
    size_t count = 0;

    for (size_t i = 0; i < PAGES; i++)
        count += !used[i];
    return count;
}

/* The end of the first free run that is at least `count` long, 0 for none. */
static size_t model_fit(size_t count)
{
    size_t length = 0;

    for (size_t i = 0; i <= PAGES; i++) {
        if (i < PAGES && !used[i]) {
            length++;
            continue;
        }
        if (length >= count)
            return i;
        length = 0;
    }
    return 0;
}

static void check_zeroed(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count * PAGE_SIZE; i++)
        assert_int_equal(bytes[i], 0);
}

static void allocate(struct block *block, size_t count)
{
    size_t end = model_fit(count);
    uint8_t *got = pages_alloc(count);

    if (end == 0) {
        assert_null(got);
        return;
    }
    assert_ptr_equal(got, page(end - count));
    check_zeroed(got, count);
    *block = (struct block){.first = end - count, .count = count};
    memset(used + block->first, true, count);
    memset(got, (int)(block - blocks) + 1, count * PAGE_SIZE);
}

/*
 * Gives back the last `count` pages of a block, whose bytes must still be those that allocate
 * wrote.
 */
static void release(struct block *block, size_t count)
{
    size_t first = block->first + block->count - count;
    const uint8_t *bytes = page(first);

    for (size_t i = 0; i < count * PAGE_SIZE; i += 97)
        assert_int_equal(bytes[i], (block - blocks) + 1);
    pages_free(page(first), count);
    memset(used + first, false, count);
    block->count -= count;
}

static void random_use_agrees_with_the_model(void **state)
{
    (void)state;
    srand(1);
    for (int step = 0; step < 20000; step++) {
        struct block *block = &blocks[rand() % BLOCKS];
        if (block->count == 0)
            allocate(block, rand() % 10 == 0 ? 1 + rand() % 80 : 1 + rand() % 6);
        else
            release(block, 1 + rand() % block->count);
        assert_int_equal(pages_free_count(), model_free_count());
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].count > 0)
            release(&blocks[i], blocks[i].count);
    }
    assert_int_equal(pages_free_count(), PAGES - (GAP_END - GAP));
}

static void freed_runs_grow_together_across_regions_but_not_gaps(void **state)
{
    (void)state;
    void *all = pages_alloc(GAP);
    assert_ptr_equal(all, page(0));
    assert_null(pages_alloc(PAGES - GAP_END + 1));
    pages_free(all, GAP);
    assert_null(pages_alloc(GAP + 1));
    assert_null(pages_alloc(SIZE_MAX));
}

/* True if an assert stops it. In a child, as an assert does not come back. */
static bool free_is_caught(void *start, size_t count)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        pages_free(start, count);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == CAUGHT;
}

static void wrong_frees_are_caught(void **state)
{
    (void)state;
    uint8_t *four = pages_alloc(4);
    uint8_t *foreign = aligned_alloc(PAGE_SIZE, PAGE_SIZE);

    assert_false(free_is_caught(four, 4));
    assert_true(free_is_caught(four, 0));
    assert_true(free_is_caught(four + 1, 1));
    assert_true(free_is_caught(four, 5));
    assert_true(free_is_caught(four - PAGE_SIZE, 2));
    assert_true(free_is_caught(four, SIZE_MAX));
    assert_true(free_is_caught(foreign, 1));
    assert_true(free_is_caught(page(GAP), 1));
    assert_true(free_is_caught(NULL, 1));

    pages_free(four + PAGE_SIZE, 2);
    assert_true(free_is_caught(four + PAGE_SIZE, 1));
    assert_true(free_is_caught(four, 4));
    pages_free(four, 1);
    pages_free(four + 3 * PAGE_SIZE, 1);
    assert_true(free_is_caught(four, 4));
    free(foreign);
}

static void a_region_too_many_is_refused(void **state)
{
    (void)state;
    int result = 0;
    size_t before = pages_free_count();
    size_t added = 0;

    for (size_t i = GAP; i < GAP_END && result == 0; i++) {
        result = pages_add((uintptr_t)page(i), 1);
        added += result == 0;
    }
    assert_int_equal(added, GAP_END - GAP);

    uint8_t *more = aligned_alloc(PAGE_SIZE, 128 * PAGE_SIZE);
    for (size_t i = 0; i < 128 && result == 0; i += 2) {
        result = pages_add((uintptr_t)more + i * PAGE_SIZE, 1);
        added += result == 0;
    }
    assert_int_equal(result, -ENOSPC);
    assert_int_equal(pages_free_count(), before + added);
    free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_use_agrees_with_the_model),
        cmocka_unit_test(freed_runs_grow_together_across_regions_but_not_gaps),
        cmocka_unit_test(wrong_frees_are_caught),
        cmocka_unit_test(a_region_too_many_is_refused),
    };

    return cmocka_run_group_tests(tests, give_memory, take_memory);
}
