/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writers of outside/plugin/shadow.h: after random stores each byte that is told has its
 * last writer, no byte twice, and of each 4 bytes only those are missing that their last write was
 * not of; where there is no room writes are counted.
 *
 * links: outside/plugin/shadow.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/shadow.h"
#include "outside/plugin/tell.h"

#define FIRST  0xffff800000000fc0u /* around the border of two pages */
#define LENGTH 128u
#define STORES 5000u

static uint64_t writer[LENGTH], stored_at[LENGTH], told_of[LENGTH];
static uint64_t end, lost;
static unsigned told;

void tell_word(struct wire_word *word, unsigned cpu)
{
    assert_true(word->address >= end); /* in order, and no byte twice */
    assert_int_equal(cpu, word->ip % 8);
    assert_int_equal(word->context, cpu + 1);
    assert_int_equal(word->thread, cpu + 10);
    assert_int_equal(word->count, 1);
    end = word->address + word->length;
    told++;
    for (uint64_t at = word->address; at < end; at++)
        if (at - FIRST < LENGTH) {
            assert_int_equal(word->ip, writer[at - FIRST]);
            assert_int_equal(word->time, stored_at[at - FIRST]);
            told_of[at - FIRST]++;
        }
}

void tell_number(enum wire_kind kind, unsigned cpu, uint64_t number)
{
    (void)cpu;
    assert_int_equal(kind, WIRE_LOST);
    lost = number;
}

uint32_t follow_context(unsigned cpu)
{
    return cpu + 1;
}

uint32_t follow_thread(unsigned cpu)
{
    return cpu + 10;
}

static void store(uint64_t time, uint64_t ip, uint64_t address, unsigned length)
{
    struct store one = {.time = time, .ip = ip, .address = address, .length = length};

    shadow_on_store(ip % 8, &one);
    for (uint64_t at = address; at < address + length; at++)
        if (at - FIRST < LENGTH) {
            writer[at - FIRST] = ip;
            stored_at[at - FIRST] = time;
        }
}

static void tell(void)
{
    end = told = 0;
    shadow_tell();
}

static void test_arguments(void **state)
{
    (void)state;
    assert_non_null(shadow_begin("x"));
    assert_non_null(shadow_begin("1000"));
    assert_false(shadow_watch());
    assert_null(shadow_begin("124000")); /* for five pages */
    assert_true(shadow_watch());
}

static void test_random(void **state)
{
    (void)state;
    srand(1);
    for (unsigned i = 1; i <= STORES; i++)
        store(i, 1 + rand() % 20, FIRST + (unsigned)rand() % (LENGTH - 16), 1u << rand() % 5);
    tell();
    for (unsigned at = 0; at < LENGTH - 16; at++) {
        uint64_t newest = 0;

        for (unsigned beside = at & ~3u; beside < (at | 3u) + 1; beside++)
            if (stored_at[beside] > newest)
                newest = stored_at[beside];
        assert_int_equal(told_of[at], stored_at[at] == newest);
    }
    assert_int_equal(lost, 0);
}

static void test_joined(void **state)
{
    (void)state;
    for (unsigned at = 0; at < LENGTH; at += 16)
        store(STORES + 1, 5, FIRST + at, 16);
    tell();
    assert_int_equal(told, 1);
}

static void test_top_of_memory(void **state)
{
    (void)state;
    store(STORES + 2, 1, UINT64_MAX - 7, 8);
    tell();
    assert_int_equal(told, 2);
}

static void test_room(void **state)
{
    (void)state;
    store(STORES + 2, 1, 0x1000, 8);
    store(STORES + 2, 2, 0x3fff, 2); /* into a page too many */
    store(STORES + 2, 3, 0x5000, 4);
    tell();
    assert_int_equal(lost, 2);
    assert_int_equal(told, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arguments),
                                       cmocka_unit_test(test_random), cmocka_unit_test(test_joined),
                                       cmocka_unit_test(test_top_of_memory),
                                       cmocka_unit_test(test_room)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
