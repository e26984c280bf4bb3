/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/recording/merge.c: several rings as one sequence in order of time, even if records are
 * overwritten or drained between being inspected and being read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/recording/merge.h"
#include "core/sample/records.h"

#define CPUS 3
#define SIZE 4096u

struct record {
    struct perf_event_header header;
    uint64_t time;
    uint64_t fill[14]; /* a ring holds 32 records */
};

static _Alignas(8) uint8_t memory[CPUS][SIZE];
static struct ring rings[CPUS];
static struct ring_merge merge;
static uint64_t now;

uint64_t arch_clock_ns(void)
{
    return now;
}

/* All records have the same layout here. */
uint64_t sample_time(const struct perf_event_header *header)
{
    return ((const struct record *)header)->time;
}

static void start(enum ring_mode mode)
{
    for (unsigned i = 0; i < CPUS; i++)
        assert_int_equal(ring_init(&rings[i], memory[i], SIZE, mode, false, NULL), 0);
    now = 0;
}

static void put(unsigned cpu, uint64_t time)
{
    struct record record = {.header = {PERF_RECORD_SAMPLE, 0, sizeof(record)}};

    now = time;
    ring_output(&rings[cpu], &record, sizeof(record), &record.time);
}

/* Returns so many of a ring's oldest records to its writers, as a drain does. */
static void consume(unsigned cpu, unsigned count)
{
    struct ring_reader reader;
    struct record record;

    ring_reader_start(&reader, &rings[cpu]);
    while (count-- > 0)
        assert_int_equal(ring_read(&reader, &record, sizeof(record)), RING_READ_RECORD);
    ring_consume(&rings[cpu], &reader);
}

/* 0: no more. */
static uint64_t next(void)
{
    const struct perf_event_header *header = ring_merge_next(&merge);

    return header ? sample_time(header) : 0;
}

static void begin(void)
{
    ring_merge_start(&merge, rings, CPUS);
}

static void empty_rings_have_no_record(void **state)
{
    (void)state;
    start(RING_NORMAL);
    begin();
    assert_int_equal(next(), 0);
    rings[1] = (struct ring){.bytes = NULL};
    begin();
    assert_int_equal(next(), 0);
}

static void records_come_in_order_of_time(void **state)
{
    static const unsigned cpus[] = {2, 0, 0, 1, 2, 1, 1, 0, 2, 2};

    (void)state;
    start(RING_NORMAL);
    for (unsigned i = 0; i < 10; i++)
        put(cpus[i], i + 1);
    begin();
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(next(), i + 1);
    assert_int_equal(next(), 0);
}

static void a_ring_without_memory_hides_no_other(void **state)
{
    (void)state;
    start(RING_NORMAL);
    put(0, 1);
    put(2, 2);
    rings[0] = (struct ring){.bytes = NULL};
    begin();
    assert_int_equal(next(), 2);
    assert_int_equal(next(), 0);
}

static void what_comes_after_the_start_is_left_out(void **state)
{
    (void)state;
    start(RING_NORMAL);
    put(0, 1);
    put(1, 2);
    begin();
    put(0, 3);
    put(2, 4);
    assert_int_equal(next(), 1);
    assert_int_equal(next(), 2);
    assert_int_equal(next(), 0);
}

/* All previous records are gone, and those in their place came later. */
static void what_took_the_place_of_all_is_left_out_too(void **state)
{
    (void)state;
    start(RING_OVERWRITE);
    put(0, 1);
    put(1, 2);
    begin();
    for (uint64_t time = 3; time < 100; time++)
        put(1, time);
    assert_int_equal(next(), 1);
    assert_int_equal(next(), 0);
}

/* Ring 1's record of time 2 is consumed after it was inspected: it is not yet the turn of 4. */
static void no_record_comes_before_an_older_one_when_a_drain_was_faster(void **state)
{
    (void)state;
    start(RING_NORMAL);
    put(0, 1);
    put(1, 2);
    put(0, 3);
    put(1, 4);
    begin();
    assert_int_equal(next(), 1);
    consume(1, 1);
    assert_int_equal(next(), 3);
    assert_int_equal(next(), 4);
    assert_int_equal(next(), 0);
}

static void no_record_comes_before_an_older_one_when_a_writer_was_faster(void **state)
{
    (void)state;
    start(RING_OVERWRITE);
    put(0, 1);
    for (uint64_t time = 2; time < 32; time++)
        put(1, time);
    put(0, 32);
    put(1, 33);
    begin();
    assert_int_equal(next(), 1);
    for (uint64_t time = 34; time < 65; time++) /* all but one of ring 1's */
        put(1, time);
    assert_int_equal(next(), 32);
    assert_int_equal(next(), 33);
    assert_int_equal(next(), 0);
}

static void it_can_begin_again(void **state)
{
    (void)state;
    start(RING_NORMAL);
    put(0, 1);
    put(1, 2);
    begin();
    assert_int_equal(next(), 1);
    put(2, 3);
    begin();
    for (uint64_t time = 1; time <= 3; time++)
        assert_int_equal(next(), time);
    assert_int_equal(next(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_rings_have_no_record),
        cmocka_unit_test(records_come_in_order_of_time),
        cmocka_unit_test(a_ring_without_memory_hides_no_other),
        cmocka_unit_test(what_comes_after_the_start_is_left_out),
        cmocka_unit_test(what_took_the_place_of_all_is_left_out_too),
        cmocka_unit_test(no_record_comes_before_an_older_one_when_a_drain_was_faster),
        cmocka_unit_test(no_record_comes_before_an_older_one_when_a_writer_was_faster),
        cmocka_unit_test(it_can_begin_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
