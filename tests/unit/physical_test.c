/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside/plugin/blame.h asks QEMU once for a page, and again after the CPU may have another
 * mapping; splits stores at page boundaries, ignores devices, and finds the memory of a CPU's frame
 * by the next store to its page.
 *
 * links: outside/plugin/blame.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/tell.h"

#define PAGE  PHYSICAL_PAGE
#define STACK (UINT64_C(5) * PAGE) /* a virtual page */
#define MOST  16

static uint64_t offset = 0x100000; /* of memory from virtual addresses */
static bool device;
static unsigned asked, mappings;

bool store_place(uint32_t info, uint64_t address, uint64_t *physical)
{
    (void)info;
    asked++;
    *physical = address + offset;
    return !device;
}

/* The calls of the shadow. */
static struct {
    uint64_t ip, first, last, physical;
} told[MOST];
static unsigned told_count;

void shadow_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                     uint64_t first, uint64_t last)
{
    (void)cpu;
    assert_true(told_count < MOST);
    told[told_count].ip = store->ip;
    told[told_count].first = first;
    told[told_count].last = last;
    told[told_count++].physical = mapping->physical;
}

void shadow_begin(uint64_t bytes)
{
    (void)bytes;
}

bool shadow_watch(void)
{
    return true;
}

void shadow_tell(void)
{
}

void writers_begin(uint32_t each, const struct request_place *wanted, uint32_t number)
{
    (void)wanted;
    fail_msg("%u writers of %u places", each, number);
}

void writers_slide(uint64_t by)
{
    fail_msg("a slide by %#lx moves no place", (unsigned long)by);
}

bool writers_watch(void)
{
    return false;
}

void writers_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                      uint64_t first, uint64_t last)
{
    (void)mapping;
    (void)store;
    fail_msg("no place: CPU %u, %#lx to %#lx", cpu, (unsigned long)first, (unsigned long)last);
}

void writers_tell(uint64_t end)
{
    (void)end;
}

void tell_mapping(uint64_t virtual, uint64_t physical, uint64_t seen)
{
    assert_true(virtual % PAGE == 0 && physical % PAGE == 0 && seen > 0);
    mappings++;
}

static void store(unsigned cpu, uint64_t ip, uint64_t address, unsigned length)
{
    struct store one = {.ip = ip, .address = address, .length = length};

    told_count = 0;
    blame_on_store(cpu, &one);
}

static void frame(unsigned cpu, uint64_t ip, uint64_t address)
{
    struct store one = {.ip = ip, .address = address, .length = 40, .interrupt = 33};

    told_count = 0;
    blame_on_frame(cpu, &one);
}

static void assert_told(unsigned i, uint64_t ip, uint64_t first, uint64_t last, uint64_t physical)
{
    assert_true(i < told_count);
    assert_int_equal(told[i].ip, ip);
    assert_int_equal(told[i].first, first);
    assert_int_equal(told[i].last, last);
    assert_int_equal(told[i].physical, physical);
}

static void test_asks_once(void **state)
{
    (void)state;
    store(0, 1, 0x1000, 8);
    store(0, 2, 0x1ff8, 8);
    assert_told(0, 2, 0x1ff8, 0x1fff, 0x101000);
    assert_int_equal(asked, 1);
    store(1, 3, 0x1000, 8); /* another CPU may have other mappings */
    assert_int_equal(asked, 2);
    offset = 0x200000;
    blame_flush(0);
    store(0, 4, 0x1000, 8);
    assert_told(0, 4, 0x1000, 0x1007, 0x201000);
    assert_int_equal(asked, 3);
    store(1, 5, 0x1000, 8);
    assert_told(0, 5, 0x1000, 0x1007, 0x101000);
    store(0, 6, 0x1000 + 1024 * PAGE, 8); /* has the cache slot of the first page */
    store(0, 7, 0x1000, 8);
    assert_int_equal(asked, 5);
}

static void test_parts(void **state)
{
    (void)state;
    store(0, 1, 0x2ffe, 4);
    assert_int_equal(told_count, 2);
    assert_told(0, 1, 0x2ffe, 0x2fff, 0x202000);
    assert_told(1, 1, 0x3000, 0x3001, 0x203000);
    store(0, 2, UINT64_MAX - 7, 8);
    assert_told(0, 2, UINT64_MAX - 7, UINT64_MAX, UINT64_MAX - PAGE + 1 + offset);
    device = true;
    store(0, 3, 0x9000, 4);
    device = false;
    assert_int_equal(told_count, 0);
    store(0, 4, 0x9000, 4);
    assert_int_equal(told_count, 1);
}

static void test_frames(void **state)
{
    (void)state;
    frame(0, 1, 0x2000); /* a known page */
    assert_told(0, 1, 0x2000, 0x2027, 0x202000);
    frame(0, 2, STACK + PAGE - 16); /* on two unknown pages */
    assert_int_equal(told_count, 0);
    store(0, 3, STACK + PAGE - 24, 8);
    assert_int_equal(told_count, 2);
    assert_told(0, 2, STACK + PAGE - 16, STACK + PAGE - 1, STACK + offset);
    assert_told(1, 3, STACK + PAGE - 24, STACK + PAGE - 17, STACK + offset);
    store(0, 4, STACK + PAGE, 8); /* the second page: the frame was written before */
    assert_told(0, 2, STACK + PAGE, STACK + PAGE + 23, STACK + PAGE + offset);
    assert_told(1, 4, STACK + PAGE, STACK + PAGE + 7, STACK + PAGE + offset);
    blame_flush(0);
    frame(0, 5, STACK); /* then it is probably the latest memory there */
    assert_int_equal(told_count, 0);
    blame_flush(0);
    assert_told(0, 5, STACK, STACK + 39, STACK + offset);
}

static void test_tells(void **state)
{
    (void)state;
    blame_slide(PAGE);
    blame_tell(0);
    assert_int_equal(mappings, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_asks_once),
                                       cmocka_unit_test(test_parts), cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_tells)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
