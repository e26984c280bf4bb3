/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overwrite mode that was proposed in 2009 ("utterly untested"; docs/ring.md takes it apart)
 * moved the tail in a few lines, most of them wrong. One test for each bug: ring_check.h detects a
 * writer with only that bug, rewritten here, and accepts the ring, which does the same work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/errno.h>

#include "core/ring/ring.h"
#include "tests/unit/patience.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"
#include "tests/unit/ring_writer.h"

#define SIZE     4096u
#define RECORD   48u
#define MANY     300u /* records: several laps */
#define PATIENCE 60   /* CPU-seconds; a ring that hangs is a failure */

static _Alignas(8) uint8_t memory[SIZE];
static struct ring ring;

/* Moves the tail so that there is room up to `end`, in some wrong way. */
typedef void tail_mover(uint64_t end);

static void start(uint64_t position)
{
    assert_int_equal(ring_init(&ring, memory, SIZE, RING_OVERWRITE, false, NULL), 0);
    writer_start_at(&ring, position);
    writer_hooks = (struct writer_hooks){0};
}

static struct perf_event_header *header_at(uint64_t position)
{
    return (struct perf_event_header *)(memory + position % SIZE);
}

/* The walk itself is right; each wrong mover has one error. */
static void give_up_oldest(void)
{
    ring.tail += header_at(ring.tail)->size;
    ring.overwritten++;
}

static uint64_t wrong_claim(uint32_t size, tail_mover *move)
{
    uint64_t position = ring.head;

    ring.produced++;
    move(position + size);
    ring.head = position + size;
    return position;
}

static void wrong_finish(uint64_t position, uint32_t size)
{
    uint64_t bytes[SIZE / 8];
    struct ring_record record = {.offset = position};

    payload_fill(bytes, size, 0, position, position);
    ring_write(&ring, &record, bytes, size);
    ring.published = ring.head;
}

static void wrong_put(uint32_t size, tail_mover *move)
{
    wrong_finish(wrong_claim(size, move), size);
}

/* The same history for a wrong writer and for the ring. */
static void compare_histories(uint64_t position, uint32_t size, tail_mover *wrong)
{
    start(position);
    for (unsigned i = 0; i < MANY; i++)
        wrong_put(size, wrong);
    assert_non_null(ring_fault(&ring, 0));

    start(position);
    for (unsigned i = 0; i < MANY; i++)
        assert_true(writer_put(&ring, size));
    assert_null(ring_fault(&ring, 0));
}

/* --- "tail + size - head < 0" --- */

/* A variable, as compilers warn about the constant: what the patch wrote is never true for unsigned
 * numbers. */
static uint64_t zero;

static void move_if_difference_is_negative(uint64_t end)
{
    while (ring.tail + SIZE - end < zero)
        give_up_oldest();
}

static void unsigned_difference_is_never_negative(void **state)
{
    (void)state;
    compare_histories(0, RECORD, move_if_difference_is_negative);
}

/*
 * The same mistake reversed: a tail that nested writers had moved past `end` seemed to be far from
 * it.
 */
static void move_while_unsigned_difference_is_large(uint64_t end)
{
    while (end - ring.tail > SIZE && ring.tail < ring.head)
        give_up_oldest();
}

static uint64_t head_seen;

static void lap_once_and_a_half(void)
{
    for (unsigned i = 0; i < SIZE * 3 / 2 / RECORD; i++)
        writer_put(&ring, RECORD);
}

static void tail_past_the_end_of_an_outer_claim_is_room(void **state)
{
    (void)state;
    start(0);
    lap_once_and_a_half();
    head_seen = ring.head;
    lap_once_and_a_half();
    move_while_unsigned_difference_is_large(head_seen + RECORD);
    assert_int_equal(ring_look(&ring).whole, 0); /* everything was given up for nothing */

    start(0);
    lap_once_and_a_half();
    writer_hooks.claiming = lap_once_and_a_half;
    assert_true(writer_put(&ring, RECORD));
    assert_null(ring_fault(&ring, 0));
    assert_in_range(ring.head - ring.tail, SIZE - RECORD + 8, SIZE);
}

/* --- "unsigned int head" --- */

static void move_to_the_lower_half_of_head(uint64_t end)
{
    unsigned int head = (unsigned int)end;

    while ((int64_t)(ring.tail + SIZE - head) < 0)
        give_up_oldest();
}

static void head_in_an_unsigned_int_loses_its_upper_half(void **state)
{
    (void)state;
    compare_histories((1ull << 32) - 4 * RECORD, RECORD, move_to_the_lower_half_of_head);
}

/* --- "tail = cmpxchg(&tail, tail, new)" --- */

static uint64_t exchange_if_equal(uint64_t *place, uint64_t expected, uint64_t desired)
{
    uint64_t old = *place;

    if (old == expected)
        *place = desired;
    return old;
}

/* The exchange returns the previous value: each record is walked over twice, and counted twice. */
static void move_and_keep_the_old_tail(uint64_t end)
{
    uint64_t tail = ring.tail;

    while ((int64_t)(tail + SIZE - end) < 0) {
        tail = exchange_if_equal(&ring.tail, tail, tail + header_at(tail)->size);
        ring.overwritten++;
    }
}

static void exchange_returns_the_old_tail_and_not_the_new_one(void **state)
{
    (void)state;
    compare_histories(0, RECORD, move_and_keep_the_old_tail);
}

/* --- The record at the tail may belong to an interrupted writer. --- */

static void move_over_whatever_is_there(uint64_t end)
{
    while ((int64_t)(ring.tail + SIZE - end) < 0 && header_at(ring.tail)->size)
        give_up_oldest();
}

static void lap_with_room_or_without(void)
{
    for (unsigned i = 0; i < MANY; i++)
        writer_put(&ring, RECORD);
}

static void record_in_flight_is_not_walked_over(void **state)
{
    uint64_t unfinished;

    (void)state;
    start(0);
    for (unsigned i = 0; i < MANY; i++)
        wrong_put(RECORD, move_over_whatever_is_there);
    assert_null(ring_fault(&ring, 0)); /* right if no writer is interrupted */
    unfinished = wrong_claim(RECORD + 8, move_over_whatever_is_there);
    for (unsigned i = 0; i < MANY; i++)
        wrong_put(RECORD, move_over_whatever_is_there);
    wrong_finish(unfinished, RECORD + 8);
    assert_non_null(ring_fault(&ring, 0));

    start(0);
    lap_with_room_or_without();
    writer_hooks.claimed = lap_with_room_or_without;
    assert_true(writer_put(&ring, RECORD + 8));
    assert_null(ring_fault(&ring, 0));
    assert_true(ring.dropped > 0);
}

/* --- A record that is longer than the ring: the tail is walked past the head. --- */

static void record_longer_than_the_ring_does_not_walk_past_the_head(void **state)
{
    (void)state;
    start(0);
    for (unsigned i = 0; i < MANY; i++)
        wrong_put(RECORD, move_over_whatever_is_there);
    ring.head = wrong_claim(SIZE + RECORD + 8, move_over_whatever_is_there);
    assert_true(ring.tail > ring.head);
    assert_non_null(ring_look(&ring).fault);

    start(0);
    lap_with_room_or_without();
    uint64_t tail = ring.tail;
    assert_false(writer_put(&ring, SIZE + RECORD + 8));
    assert_int_equal(ring.tail, tail);
    assert_null(ring_fault(&ring, 0));
}

/* --- The tail's page and offset: a header must not cross into another page. --- */

#define PAGE 1024u /* of a ring in non-adjacent pages */

static void move_by_headers_within_a_page(uint64_t end)
{
    while ((int64_t)(ring.tail + SIZE - end) < 0) {
        struct perf_event_header header = {0};
        uint64_t left = PAGE - ring.tail % PAGE;

        memcpy(&header, memory + ring.tail % SIZE, left < sizeof(header) ? left : sizeof(header));
        if (header.size == 0)
            return; /* the patch would loop for ever */
        ring.tail += header.size;
        ring.overwritten++;
    }
}

static void header_is_never_split_as_sizes_are_multiples_of_eight(void **state)
{
    struct ring_record record;
    uint32_t odd = 44; /* a multiple of 4 */
    uint8_t bytes[44] = {0};

    (void)state;
    start(0);
    ((struct perf_event_header *)bytes)->size = (uint16_t)odd;
    for (unsigned i = 0; i < MANY; i++) {
        record = (struct ring_record){.offset = wrong_claim(odd, move_by_headers_within_a_page)};
        ring_write(&ring, &record, bytes, odd);
    }
    assert_true(ring.head - ring.tail > SIZE);

    start(0);
    assert_false(ring_reserve(&ring, odd, &record));
    ring_commit(&ring, &record);
    for (unsigned i = 0; i < MANY; i++)
        assert_true(writer_put(&ring, 8 + 8 * (i % 11)));
    assert_int_equal(ring.dropped, 1);
    assert_null(ring_fault(&ring, 0));
}

/* --- Overwritten records are not counted. --- */

static void move_without_counting(uint64_t end)
{
    while ((int64_t)(ring.tail + SIZE - end) < 0)
        ring.tail += header_at(ring.tail)->size;
}

static void overwritten_records_are_counted(void **state)
{
    (void)state;
    compare_histories(0, RECORD, move_without_counting);
    assert_int_equal(ring.overwritten, MANY - SIZE / RECORD);
}

/* --- One owner of the tail. --- */

/* The patch checks once, when the memory is mapped. A reader that returns what it has read undoes
 * the writer's moves. */
static void tail_with_two_owners_goes_backwards_and_is_refused(void **state)
{
    struct ring_reader reader;
    struct refusal why;

    (void)state;
    start(0);
    ring_reader_start(&reader, &ring);
    lap_with_room_or_without();
    assert_null(ring_fault(&ring, 0));
    expect_assert_failure(ring_consume(&ring, &reader));
    assert_null(ring_fault(&ring, 0));
    ring.tail = reader.position; /* what the reader would do */
    assert_non_null(ring_fault(&ring, 0));

    assert_int_equal(ring_init(&ring, memory, SIZE, RING_OVERWRITE, true, &why), -EINVAL);
    assert_non_null(strstr(why.text, "tail"));
}

/* --- A debugger stops the machine in the middle of a writer. --- */

static uint64_t found_by_published, found_by_claims;

static void stop_the_machine(void)
{
    struct ring_reader reader;
    uint64_t record[SIZE / 8];

    for (unsigned i = 0; i < 20; i++)
        writer_put(&ring, RECORD);
    found_by_published = 0;
    ring_reader_start(&reader, &ring);
    while (ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD)
        found_by_published++;
    found_by_claims = ring_look(&ring).whole;
    assert_null(ring_look(&ring).fault);
}

/* If records are read only up to what the outermost writer has published, the newest ones, which
 * matter most, are missing. */
static void newest_records_inside_an_unfinished_writer_are_found(void **state)
{
    (void)state;
    start(0);
    writer_hooks.claimed = stop_the_machine;
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(found_by_published, 0);
    assert_int_equal(found_by_claims, 20);
    assert_null(ring_fault(&ring, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_difference_is_never_negative),
        cmocka_unit_test(tail_past_the_end_of_an_outer_claim_is_room),
        cmocka_unit_test(head_in_an_unsigned_int_loses_its_upper_half),
        cmocka_unit_test(exchange_returns_the_old_tail_and_not_the_new_one),
        cmocka_unit_test(record_in_flight_is_not_walked_over),
        cmocka_unit_test(record_longer_than_the_ring_does_not_walk_past_the_head),
        cmocka_unit_test(header_is_never_split_as_sizes_are_multiples_of_eight),
        cmocka_unit_test(overwritten_records_are_counted),
        cmocka_unit_test(tail_with_two_owners_goes_backwards_and_is_refused),
        cmocka_unit_test(newest_records_inside_an_unfinished_writer_are_found),
    };
    patience_start(PATIENCE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
