/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The histories of outside/plugin/writers.c: for random stores around a place, the newest entry
 * with a byte is that byte's last writer, and no store is counted twice or left out. Memory is
 * identified by its physical address. What memory holds when the machine stops is compared
 * with what the stores have left.
 *
 * links: outside/plugin/writers.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/tell.h"

#define FIRST  0x1003u /* of the place: three words, only the middle one complete */
#define TO     0x7000u /* its page in memory */
#define LENGTH 16u
#define WORDS  3u
#define CODES  4u
#define TOLD   4096u

#define UNVALUED 300u /* the time of a store with an unknown value */

static struct wire_word told[TOLD];
static size_t told_count;
static struct wire_held held[WORDS];
static size_t held_count;
static uint64_t unread;

void tell_word(struct wire_word *word, unsigned cpu)
{
    assert_true(told_count < TOLD);
    word->head.cpu = cpu;
    told[told_count++] = *word;
}

void tell_number(enum wire_kind kind, unsigned cpu, uint64_t number)
{
    (void)cpu;
    if (kind == WIRE_UNREAD) {
        unread = number;
        return;
    }
    assert_int_equal(kind, WIRE_LOST);
    assert_int_equal(number, 0);
}

void tell_held(struct wire_held *word)
{
    assert_true(held_count < WORDS);
    held[held_count++] = *word;
}

/* The machine: `memory` is the page of the place. */
static uint8_t memory[PHYSICAL_PAGE];
static uint64_t instructions = 1000, space = 0x5000;
static bool tells_physical = true;

uint64_t follow_space_of(unsigned cpu)
{
    (void)cpu;
    return space;
}

bool registers_physical(uint64_t address, void *to, size_t size)
{
    memcpy(to, memory + address % PHYSICAL_PAGE, size);
    return tells_physical;
}

bool registers_memory(unsigned cpu, uint64_t address, void *to, size_t size)
{
    (void)cpu;
    memcpy(to, memory + address % PHYSICAL_PAGE, size);
    return address / PHYSICAL_PAGE == FIRST / PHYSICAL_PAGE;
}

/*
 * The place's page in one address space, then in another; then the first one's at another address.
 */
static struct mapping mappings[] = {{.virtual = 0x1000, .physical = TO},
                                    {.virtual = 0x1000, .physical = TO + 0x1000},
                                    {.virtual = 0x40000, .physical = TO}};

void physical_each(void (*take)(struct mapping *mapping))
{
    for (unsigned i = 0; i < sizeof(mappings) / sizeof(*mappings); i++)
        take(&mappings[i]);
}

static uint8_t byte_of(uint64_t time, uint64_t address)
{
    return (uint8_t)(time * 31 + address);
}

bool store_value(const struct store *store, uint8_t value[STORE_MOST])
{
    for (unsigned i = 0; i < store->length; i++)
        value[i] = byte_of(store->time, store->address + i);
    return store->time != UNVALUED;
}

static void store_through(struct mapping *mapping, unsigned cpu, uint64_t time, uint64_t ip,
                          uint64_t address, unsigned length)
{
    struct store one = {.time = time,
                        .ip = ip,
                        .address = address,
                        .length = length,
                        .context = cpu + 1,
                        .thread = cpu + 10};

    writers_on_store(cpu, &one, mapping, address, address + length - 1);
}

static void store(unsigned cpu, uint64_t time, uint64_t ip, uint64_t address, unsigned length)
{
    store_through(&mappings[0], cpu, time, ip, address, length);
}

static void tell(void)
{
    told_count = held_count = 0;
    writers_tell(instructions);
}

static bool has(const struct wire_word *entry, uint64_t byte)
{
    return entry->place == 0 && byte >= entry->address && byte - entry->address < entry->length;
}

static const struct request_place wanted[] = {{.address = 0x1003, .length = 16},
                                              {.address = 0x40010, .length = 8, .fixed = 1}};

static void test_begin(void **state)
{
    (void)state;
    assert_false(writers_watch());
    writers_begin(WRITERS_MOST, wanted, 1);
    assert_true(writers_watch());
}

static void test_row(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) /* a loop over the bytes of a word */
        store(2, 100 + i, 7, 0x1008 + i, 1);
    store(2, 200, 8, 0x1008, 4);
    store(2, 300, 7, 0x100e, 1);
    store(2, 400, 7, 0x100c, 1); /* not adjacent */
    tell();
    assert_int_equal(told_count, 4);
    assert_int_equal(told[0].address, 0x100c);
    assert_int_equal(told[1].address, 0x100e);
    assert_int_equal(told[2].ip, 8);
    assert_int_equal(told[2].length, 4);
    assert_int_equal(told[3].address, 0x1008);
    assert_int_equal(told[3].length, 8);
    assert_int_equal(told[3].count, 8);
    assert_int_equal(told[3].time, 107);
    assert_true(told[0].valued && !told[1].valued);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(told[3].value >> 8 * i & 0xff, byte_of(100 + i, 0x1008 + i));
    assert_int_equal(told[3].context, 3);
    assert_int_equal(told[3].thread, 12);
    assert_int_equal(told[3].head.cpu, 2);
}

static void test_random(void **state)
{
    uint64_t writer[LENGTH] = {0}, times[LENGTH] = {0}, stores[WORDS] = {0}, counted[WORDS] = {0};

    (void)state;
    srand(1);
    tell();
    for (size_t i = 0; i < told_count; i++)
        counted[told[i].address / 8 - FIRST / 8] -= told[i].count; /* of the previous test */
    for (unsigned i = 0; i < 900; i++) {
        uint64_t address = FIRST - 8 + (unsigned)rand() % (LENGTH + 16), ip = 1 + rand() % CODES;
        unsigned length = 1u << rand() % 5;
        bool touched[WORDS] = {false};

        store(0, i, ip, address, length);
        for (unsigned at = 0; at < LENGTH; at++)
            if (FIRST + at >= address && FIRST + at < address + length) {
                writer[at] = ip;
                times[at] = i;
                touched[(FIRST + at) / 8 - FIRST / 8] = true;
            }
        for (unsigned word = 0; word < WORDS; word++)
            stores[word] += touched[word];
    }
    tell();
    for (unsigned at = 0; at < LENGTH; at++) {
        size_t i = 0;

        while (i < told_count && !has(&told[i], FIRST + at))
            i++;
        assert_true(i < told_count);
        assert_int_equal(told[i].ip, writer[at]);
        assert_int_equal(told[i].value >> 8 * (FIRST + at - told[i].address) & 0xff,
                         byte_of(times[at], FIRST + at));
    }
    for (size_t i = 0; i < told_count; i++)
        counted[told[i].address / 8 - FIRST / 8] += told[i].count;
    for (unsigned word = 0; word < WORDS; word++)
        assert_int_equal(counted[word], stores[word]);
}

static const struct wire_word *told_at(uint64_t time)
{
    size_t i = 0;

    while (i < told_count && told[i].time != time)
        i++;
    assert_true(i < told_count);
    return &told[i];
}

/* The expected contents of memory, before test_other_memory writes elsewhere. */
static void test_memory(void **state)
{
    (void)state;
    for (uint64_t at = FIRST; at < FIRST + LENGTH; at++) {
        store(0, 4000, 9, at, 1);
        memory[at % PHYSICAL_PAGE] = byte_of(4000, at);
    }
    tell();
    assert_int_equal(unread, 1);
    assert_int_equal(held_count, 0);
    writers_read(0, instructions);
    tell();
    assert_int_equal(unread, 0);
    assert_int_equal(held_count, 0);

    memory[0x12]++; /* in the last word, three bytes of which belong to the place */
    writers_read(0, instructions);
    tell();
    assert_int_equal(held_count, 1);
    assert_int_equal(held[0].physical, TO + 0x10);
    assert_int_equal(held[0].length, 3);
    assert_memory_equal(&held[0].value, memory + 0x10, 3);
    assert_false(held[0].likely);
    store(0, UNVALUED, 9, 0x1010, 8); /* so the expected contents are unknown */
    writers_read(0, instructions);
    tell();
    assert_int_equal(held_count, 0);
    instructions++;
    tell();
    assert_int_equal(unread, 1);
}

/* Memory read by address may be different memory in another address space. */
static void test_memory_at_address(void **state)
{
    (void)state;
    tells_physical = false;
    memory[8]++;
    writers_read(0, instructions);
    tell();
    assert_int_equal(held_count, 1);
    assert_true(held[0].likely);
    space++;
    writers_read(0, instructions);
    tell();
    assert_int_equal(held_count, 0);
    assert_int_equal(unread, 1);
    space--;
}

static void test_other_memory(void **state)
{
    size_t before;

    (void)state;
    tell();
    before = told_count;
    store_through(&mappings[1], 1, 5000, 9, 0x1008, 8); /* the same address in another space */
    store_through(&mappings[2], 1, 6000, 9, 0x40008, 8);
    store_through(&mappings[2], 1, 7000, 9, 0x40020, 8); /* not in the place */
    tell();
    assert_int_equal(told_count, before + 2);
    assert_int_equal(told_at(5000)->physical, TO + 0x1008);
    assert_int_equal(told_at(5000)->address, 0x1008);
    assert_int_equal(told_at(6000)->physical, TO + 8);
    assert_int_equal(told_at(6000)->address, 0x40008);
    writers_read(0, instructions);
    tell();
    assert_int_equal(unread, 2); /* the address has led to both */
}

/*
 * A slide moves the kernel's places, which start again; a place given by address keeps its writes.
 */
static void test_slide(void **state)
{
    static struct mapping moved = {.virtual = 0x81000, .physical = TO + 0x2000};

    (void)state;
    writers_begin(WRITERS_MOST, wanted, 2);
    for (unsigned i = 0; i < sizeof(mappings) / sizeof(*mappings); i++)
        mappings[i].memory = NULL;
    store_through(&mappings[2], 1, 8000, 9, 0x40010, 8);
    writers_slide(0x80000);
    tell();
    assert_int_equal(told_count, 1);
    assert_int_equal(told[0].place, 1);
    store_through(&mappings[2], 1, 9000, 10, 0x40010, 8);
    store_through(&moved, 1, 9001, 9, 0x81008, 8);
    writers_slide(-0x1000);
    store_through(&mappings[2], 1, 9500, 11, 0x40010, 8);
    store_through(&mappings[0], 1, 9501, 9, 0x1008, 8);
    tell();
    assert_int_equal(told_count, 3);
    assert_int_equal(told_at(9500)->place, 1);
    assert_int_equal(told_at(9000)->address, 0x40010);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_begin),
                                       cmocka_unit_test(test_row),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_memory_at_address),
                                       cmocka_unit_test(test_other_memory),
                                       cmocka_unit_test(test_slide)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
