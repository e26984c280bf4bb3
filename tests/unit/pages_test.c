/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator against a map of the pages in use, over adjacent and separate regions.
 *
 * links: tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/memory.h"
#include "core/lib/assert.h"
#include "kernel/memory/pages.h"
#include "tests/unit/random.h"

#define PAGES     1024
#define GAP       650 /* these pages are never given to the allocator */
#define GAP_END   660
#define BLOCKS    64
#define CAUGHT    42 /* a child's exit status after an assert */
#define PAGE_BITS 12

/* In random order; the last one closes the gap between two others. */
static const struct {
    size_t first, count;
} regions[] = {{GAP_END, PAGES - GAP_END}, {0, 257}, {400, GAP - 400}, {257, 143}};

#define REGIONS (sizeof(regions) / sizeof(regions[0]))

static uint8_t *memory;
static uint8_t region_at[PAGES]; /* its number, from 1; 0: in none, or notes */
static bool used[PAGES];

struct block {
    size_t first, count; /* pages; count 0: no block */
    unsigned order;
};

static struct block blocks[BLOCKS];

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
    memory = aligned_alloc(PAGES * PAGE_SIZE, PAGES * PAGE_SIZE);
    /* Bytes that would mean free and used pages if they were read as notes. */
    for (size_t i = 0; i < PAGES * PAGE_SIZE; i++)
        memory[i] = i % 2 == 0 ? 0x40 : 0x80;
    for (size_t i = 0; i < REGIONS; i++) {
        pages_add((uintptr_t)page(regions[i].first), regions[i].count);
        memset(region_at + regions[i].first + 1, (int)i + 1, regions[i].count - 1);
    }
    return 0;
}

static int take_memory(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

static bool can_be_block(size_t first, unsigned order)
{
    size_t count = (size_t)1 << order;

    if (first % count != 0 || first + count > PAGES)
        return false;
    for (size_t i = first; i < first + count; i++)
        if (used[i] || region_at[i] == 0 || region_at[i] != region_at[first])
            return false;
    return true;
}

/* What must be free: the largest aligned blocks within one region. */
static struct pages_counts model_counts(void)
{
    struct pages_counts counts = {.total = 0};
    size_t at = 0;

    for (size_t i = 0; i < PAGES; i++) {
        counts.total += region_at[i] != 0;
        counts.free += region_at[i] != 0 && !used[i];
    }
    while (at < PAGES) {
        unsigned order = 0;

        while (can_be_block(at, order + 1))
            order++;
        if (can_be_block(at, order))
            counts.free_blocks[order]++;
        at += (size_t)1 << order;
    }
    return counts;
}

static void check_counts(void)
{
    struct pages_counts counts = pages_counts(), model = model_counts();

    assert_memory_equal(&counts, &model, sizeof(counts));
    assert_int_equal(pages_free_count(), model.free);
}

static void check_zeroed(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count * PAGE_SIZE; i++)
        assert_int_equal(bytes[i], 0);
}

/*
 * Checks that the smallest block that was large enough was halved down to this one; true if there
 * was one.
 */
static bool check_taken(const struct pages_counts *before, unsigned order)
{
    struct pages_counts expected = *before, after = pages_counts();
    unsigned fit = order;

    while (fit < PAGES_ORDERS && before->free_blocks[fit] == 0)
        fit++;
    if (fit < PAGES_ORDERS) {
        expected.free -= (size_t)1 << order;
        expected.free_blocks[fit]--;
        for (unsigned i = order; i < fit; i++)
            expected.free_blocks[i]++;
    }
    assert_memory_equal(&after, &expected, sizeof(after));
    return fit < PAGES_ORDERS;
}

static bool allocate(struct block *block, unsigned order)
{
    struct pages_counts before = pages_counts();
    uint8_t *got = pages_alloc(order);

    if (!check_taken(&before, order)) {
        assert_null(got);
        return false;
    }
    assert_int_equal((uintptr_t)got % (PAGE_SIZE << order), 0);
    assert_in_range((uintptr_t)got, (uintptr_t)memory, (uintptr_t)page(PAGES - 1));
    *block = (struct block){
        .first = (size_t)(got - memory) >> PAGE_BITS, .count = (size_t)1 << order, .order = order};
    assert_true(can_be_block(block->first, order));
    check_zeroed(got, block->count);
    memset(used + block->first, true, block->count);
    memset(got, (int)block->first % 255 + 1, block->count * PAGE_SIZE);
    return true;
}

/* The block must still contain what allocate wrote. */
static void release(struct block *block)
{
    const uint8_t *bytes = page(block->first);

    for (size_t i = 0; i < block->count * PAGE_SIZE; i += 97)
        assert_int_equal(bytes[i], block->first % 255 + 1);
    pages_free(page(block->first), block->order);
    memset(used + block->first, false, block->count);
    block->count = 0;
}

static void random_use_agrees_with_the_model(void **state)
{
    (void)state;
    random_begin(1);
    for (int step = 0; step < 10000; step++) {
        struct block *block = &blocks[random_below(BLOCKS)];

        if (block->count > 0)
            release(block);
        else
            allocate(block, random_below(10) == 0 ? random_below(10) : random_below(4));
        check_counts();
    }
    for (size_t i = 0; i < BLOCKS; i++)
        if (blocks[i].count > 0)
            release(&blocks[i]);
    check_counts();
}

/* All memory is allocated in the smallest blocks, freed in random order, and then whole again. */
static void freed_pages_are_whole_blocks_again(void **state)
{
    static struct block single[PAGES];
    struct pages_counts before = pages_counts();
    size_t count = 0;

    (void)state;
    while (allocate(&single[count], 0))
        count++;
    assert_int_equal(count, before.free);
    assert_int_equal(pages_free_count(), 0);
    for (size_t i = count; i > 0; i--) {
        size_t chosen = random_below((uint32_t)i);
        struct block last = single[i - 1];

        release(&single[chosen]);
        single[chosen] = last;
        check_counts();
    }
    assert_int_equal(pages_free_count(), before.total);
}

/* Of the aligned runs of 256 free pages, only the last lies within one region. */
static void blocks_stay_in_their_regions(void **state)
{
    struct pages_counts counts = pages_counts();
    struct block largest, none;

    (void)state;
    assert_int_equal(counts.free_blocks[9], 0);
    assert_int_equal(counts.free_blocks[8], 1);
    assert_true(allocate(&largest, 8));
    assert_int_equal(largest.first, 768);
    assert_false(allocate(&none, 8));
    assert_false(allocate(&none, PAGES_ORDER_MAX));
    assert_null(pages_alloc(PAGES_ORDER_MAX + 1));
    assert_null(pages_alloc(UINT_MAX));
    release(&largest);
    check_counts();
}

static void orders_are_those_of_the_next_power_of_two(void **state)
{
    (void)state;
    assert_int_equal(pages_order(0), 0);
    assert_int_equal(pages_order(1), 0);
    assert_int_equal(pages_order(2), 1);
    assert_int_equal(pages_order(3), 2);
    assert_int_equal(pages_order(4), 2);
    assert_int_equal(pages_order(5), 3);
    assert_int_equal(pages_order((size_t)1 << PAGES_ORDER_MAX), PAGES_ORDER_MAX);
    assert_true(pages_order(((size_t)1 << PAGES_ORDER_MAX) + 1) > PAGES_ORDER_MAX);
    assert_true(pages_order(SIZE_MAX) > PAGES_ORDER_MAX);
}

/* True if an assert stops it. Runs in a child, as an assert does not return. */
static bool free_is_caught(void *start, unsigned order)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        pages_free(start, order);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == CAUGHT;
}

static void wrong_frees_are_caught(void **state)
{
    (void)state;
    uint8_t *eight = pages_alloc(3);
    uint8_t *foreign = aligned_alloc(PAGE_SIZE, PAGE_SIZE);

    assert_false(free_is_caught(eight, 3));
    assert_true(free_is_caught(eight + 1, 3));
    for (size_t i = 1; i < 8; i++)
        assert_true(free_is_caught(eight + i * PAGE_SIZE, 0)); /* inside */
    assert_true(free_is_caught(eight + 4 * PAGE_SIZE, 2));
    assert_true(free_is_caught(eight, 0)); /* with another order */
    assert_true(free_is_caught(eight, 2));
    assert_true(free_is_caught(eight, 4));
    assert_true(free_is_caught(eight, PAGES_ORDER_MAX + 1));
    assert_true(free_is_caught(eight, 0x80 | 3));
    assert_true(free_is_caught(foreign, 0));
    assert_true(free_is_caught(page(GAP), 0));
    assert_true(free_is_caught(page(GAP_END), 0)); /* notes */
    assert_true(free_is_caught(NULL, 0));

    pages_free(eight, 3);
    assert_true(free_is_caught(eight, 3)); /* already free */
    for (unsigned order = 0; order <= PAGES_ORDER_MAX; order++)
        assert_true(free_is_caught(page(768), order)); /* the start of a free block */
    free(foreign);
}

/* Reserves addresses; memory is allocated when it is touched. */
static uint8_t *reserve(size_t count)
{
    uint8_t *start = mmap(NULL, count * PAGE_SIZE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_ptr_not_equal(start, MAP_FAILED);
    return start;
}

static void check_region(size_t count, size_t left)
{
    size_t before = pages_counts().total;

    pages_add((uintptr_t)reserve(count), count);
    assert_int_equal(pages_counts().total, before + left);
}

static void notes_take_as_many_pages_as_they_need(void **state)
{
    (void)state;
    check_region(1, 0);
    check_region(2, 1);
    check_region(4000, 3999);
    check_region(4097, 4095);
    check_region(9000, 8997);
    pages_add((uintptr_t)page(GAP), 0);
}

/* So many pages that the last few notes are on a page of their own. */
static void notes_and_blocks_share_no_page(void **state)
{
    const size_t count = 4090;
    struct pages_counts before;
    uint8_t **taken;

    (void)state;
    check_region(count, count - 2);
    before = pages_counts();
    taken = malloc(before.free * sizeof(*taken));
    for (size_t i = 0; i < before.free; i++) {
        taken[i] = pages_alloc(0);
        memset(taken[i], 0x40, PAGE_SIZE);
    }
    for (size_t i = 0; i < before.free; i++)
        pages_free(taken[i], 0);
    struct pages_counts after = pages_counts();

    assert_memory_equal(&before, &after, sizeof(before));
    free(taken);
}

/* Two blocks of the largest size, side by side, and blocks smaller than 64 MiB elsewhere. */
static void no_block_is_larger_than_the_largest(void **state)
{
    const size_t count = (size_t)1 << PAGES_ORDER_MAX, largest = count * PAGE_SIZE;
    const size_t notes = 2 * count / PAGE_SIZE + 1;
    uintptr_t start = (uintptr_t)reserve(4 * count) + notes * PAGE_SIZE;
    struct pages_counts before, after;
    void *small;

    (void)state;
    start = (start + 2 * largest - 1) & ~(2 * largest - 1);
    pages_add(start - notes * PAGE_SIZE, notes + 2 * count);
    before = pages_counts();
    assert_int_equal(before.free_blocks[PAGES_ORDER_MAX], 2);
    small = pages_alloc(14);
    assert_in_range((uintptr_t)small, start, start + 2 * largest - 1);
    after = pages_counts();
    assert_int_equal(after.free_blocks[PAGES_ORDER_MAX], 1);
    pages_free(small, 14);
    after = pages_counts();
    assert_memory_equal(&before, &after, sizeof(before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_frees_are_caught), /* first: notes are as pages_add left them */
        cmocka_unit_test(random_use_agrees_with_the_model),
        cmocka_unit_test(freed_pages_are_whole_blocks_again),
        cmocka_unit_test(blocks_stay_in_their_regions),
        cmocka_unit_test(orders_are_those_of_the_next_power_of_two),
        cmocka_unit_test(notes_and_blocks_share_no_page),
        cmocka_unit_test(notes_take_as_many_pages_as_they_need),
        cmocka_unit_test(no_block_is_larger_than_the_largest),
    };

    return cmocka_run_group_tests(tests, give_memory, take_memory);
}
