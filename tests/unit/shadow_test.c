/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writers of outside/plugin/blame.h: after random stores and loops over pages, each
 * reported byte has its last writer, no byte is reported twice, and of each 4 bytes only those are
 * missing that the last write did not cover. A page filled by loops costs little. Without room,
 * writes are counted, and what they overwrote is not reported.
 *
 * links: outside/plugin/shadow.c outside/plugin/shadow_page.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/tell.h"

#define FIRST  0xffff800000000000u /* of two pages */
#define TO     0x5000u             /* ... the pages' place in memory */
#define PAGES  2u
#define LENGTH (PAGES * PHYSICAL_PAGE)
#define STORES 5000u
#define ROUNDS 300u

static struct mapping mappings[PAGES + 16];
static uint64_t writer[LENGTH], stored_at[LENGTH];
static unsigned told_of[LENGTH];
static uint64_t end, lost, now;
static unsigned told, through;

static void take_byte(const struct wire_word *word, uint64_t byte, uint64_t time)
{
    uint64_t newest = 0;

    told_of[byte]++;
    assert_int_equal(word->ip, writer[byte]);
    for (uint64_t beside = byte & ~3u; beside < (byte | 3u) + 1; beside++)
        if (stored_at[beside] > newest)
            newest = stored_at[beside];
    assert_in_range(time, stored_at[byte], newest);
}

void tell_word(struct wire_word *word, unsigned cpu)
{
    assert_true(word->physical >= end); /* in order, and no byte twice */
    assert_int_equal(cpu, word->ip % 8);
    assert_int_equal(word->context, cpu + 1);
    assert_int_equal(word->thread, cpu + 10);
    assert_int_equal(word->count, 1);
    assert_int_equal(word->interrupt, word->ip % 3 ? 0 : word->ip);
    end = word->physical + word->length;
    told++;
    through += word->address % LENGTH != word->physical - TO;
    for (uint64_t at = word->physical; at < end; at++) {
        uint64_t later = word->unit ? (end - 1 - at) / word->unit : 0;

        if (at - TO < LENGTH)
            take_byte(word, at - TO, word->time - later * word->step);
    }
}

void tell_number(enum wire_kind kind, unsigned cpu, uint64_t number)
{
    (void)cpu;
    assert_int_equal(kind, WIRE_LOST);
    lost = number;
}

static void store_through(struct mapping *mapping, uint64_t ip, uint64_t byte, unsigned length)
{
    struct store one = {.time = now,
                        .ip = ip,
                        .address = mapping->virtual + byte % PHYSICAL_PAGE,
                        .length = length,
                        .context = ip % 8 + 1,
                        .thread = ip % 8 + 10,
                        .interrupt = ip % 3 ? 0 : (uint32_t)ip};

    shadow_on_store(ip % 8, &one, mapping, one.address, one.address + length - 1);
}

static void store(uint64_t ip, uint64_t byte, unsigned length)
{
    store_through(&mappings[byte / PHYSICAL_PAGE], ip, byte, length);
    for (uint64_t at = byte; at < byte + length; at++) {
        writer[at] = ip;
        stored_at[at] = now;
    }
}

/* Fills, with `step` instructions from one write to the next. */
static void fill(uint64_t ip, uint64_t first, uint64_t stop, unsigned length, unsigned step)
{
    for (uint64_t byte = first; byte + length <= stop; byte += length, now += step)
        store(ip, byte, length);
}

static void tell(void)
{
    end = told = through = 0;
    for (unsigned at = 0; at < LENGTH; at++)
        told_of[at] = 0;
    shadow_tell();
}

/* Each byte was reported if the last write to its granule also covered it. */
static void assert_complete(void)
{
    for (unsigned at = 0; at < LENGTH; at++) {
        uint64_t newest = 0;

        for (unsigned beside = at & ~3u; beside < (at | 3u) + 1; beside++)
            if (stored_at[beside] > newest)
                newest = stored_at[beside];
        assert_true(told_of[at] <= 1);
        assert_true(told_of[at] || stored_at[at] < newest || newest == 0);
        assert_true(newest || !told_of[at]);
    }
    assert_int_equal(lost, 0);
}

static void test_begin(void **state)
{
    (void)state;
    assert_false(shadow_watch());
    shadow_begin(60000); /* two pages with an entry for each 4 bytes */
    assert_true(shadow_watch());
    for (unsigned i = 0; i < sizeof(mappings) / sizeof(*mappings); i++) {
        mappings[i].virtual = FIRST + i * PHYSICAL_PAGE;
        mappings[i].physical = TO + i * PHYSICAL_PAGE;
    }
}

/* Two pages written by loops leave room for hundreds of others. */
static void test_fills(void **state)
{
    (void)state;
    now = 1;
    fill(1, 0, PHYSICAL_PAGE, 8, 3);
    tell();
    assert_complete();
    assert_int_equal(told, 1);
    for (unsigned length = 1; length <= 64; length *= 2) {
        fill(length % 8, 0, PHYSICAL_PAGE, length, length);
        tell();
        assert_complete();
        assert_int_equal(told, 1);
    }
    fill(2, 0, 2000, 8, 3); /* interrupted, run a second time, and ended early */
    now += 1000;
    fill(2, 2000, 4000, 8, 3);
    now += 1000;
    fill(2, 4000, PHYSICAL_PAGE, 8, 3);
    fill(4, 0, 1001, 1, 2);
    tell();
    assert_complete();
    assert_int_equal(told, 4);
}

static void test_random_loops(void **state)
{
    (void)state;
    srand(1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned length = 1u << rand() % 7, page = (unsigned)rand() % PAGES * PHYSICAL_PAGE;
        unsigned first = rand() % 3 ? (unsigned)rand() % 1024 * 4 : 0;
        unsigned stop = rand() % 2 ? PHYSICAL_PAGE : first + (unsigned)rand() % 700;

        now += 10;
        if (stop > PHYSICAL_PAGE)
            stop = PHYSICAL_PAGE;
        fill(1 + (unsigned)rand() % 5, page + first, page + stop, length, (unsigned)rand() % 4);
        if (i % 10 == 0)
            tell(), assert_complete();
    }
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= STORES; i++) {
        unsigned length = 1u << rand() % 5;

        now++;
        store(1 + rand() % 20, (unsigned)rand() % (PHYSICAL_PAGE - length), length);
    }
    tell();
    assert_complete();
}

static void test_joined(void **state)
{
    unsigned before;

    (void)state;
    tell();
    before = told;
    now++;
    for (unsigned at = 0; at < 128; at += 16)
        store(5, 1000 + at, 16);
    tell();
    assert_complete();
    assert_true(told < before);
}

/* A loop over a page with an entry for each 4 bytes frees the entries. */
static void test_filled_again(void **state)
{
    (void)state;
    now++;
    fill(7, 0, PHYSICAL_PAGE, 8, 2);
    fill(7, PHYSICAL_PAGE, 2 * PHYSICAL_PAGE, 8, 2);
    tell();
    assert_complete();
    assert_int_equal(told, 2);
}

static void test_other_mapping(void **state)
{
    static struct mapping identity = {.virtual = TO, .physical = TO};

    (void)state;
    now++;
    for (unsigned at = 0; at < 8; at++) {
        writer[at] = 4;
        stored_at[at] = now;
    }
    store_through(&identity, 4, 0, 8);
    tell();
    assert_complete();
    assert_int_equal(through, 1);
}

/* Runs last, as lost writes remain lost. */
static void test_room(void **state)
{
    unsigned before;

    (void)state;
    now++;
    for (unsigned i = 0; i < 12; i++) /* a few hundred bytes each */
        fill(8, 0, 64, 8, 1), store_through(&mappings[PAGES + i], 1, 16, 8);
    tell();
    assert_int_equal(lost, 0);
    for (unsigned i = 0; i < 12; i++) /* ... and then 24 KiB each */
        for (unsigned at = 0; at < 10; at++)
            store_through(&mappings[PAGES + i], at + 1, at * 400, 8);
    tell();
    assert_true(lost > 50);
    before = told;
    store_through(&mappings[PAGES + 11], 2, 20, 4); /* does not fit, and overwrites */
    tell();
    assert_int_equal(told, before - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin),         cmocka_unit_test(test_fills),
        cmocka_unit_test(test_random_loops),  cmocka_unit_test(test_random),
        cmocka_unit_test(test_joined),        cmocka_unit_test(test_filled_again),
        cmocka_unit_test(test_other_mapping), cmocka_unit_test(test_room)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
