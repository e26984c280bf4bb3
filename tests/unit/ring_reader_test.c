/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader: what it skips and counts, and a second thread, in place of another CPU, that reads
 * while the first one writes, including nested writers. Each record proves itself, so a torn one is
 * detected.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/local.h"
#include "core/ring/ring.h"
#include "tests/unit/patience.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"
#include "tests/unit/ring_writer.h"

#define SIZE     4096u
#define LARGE    65536u
#define ENOUGH   50000 /* records that the reading thread must see */
#define PATIENCE 60    /* CPU-seconds; a reader that hangs is a failure */

static _Alignas(8) uint8_t memory[LARGE];
static struct ring ring;
static uint64_t record[RING_RECORD_MAX / 8];

static void start(enum ring_mode mode)
{
    assert_int_equal(ring_init(&ring, memory, SIZE, mode, mode == RING_NORMAL, NULL), 0);
    writer_hooks = (struct writer_hooks){0};
}

static void put(unsigned count, uint32_t size)
{
    while (count-- > 0)
        writer_put(&ring, size);
}

static void empty_ring_is_empty_and_stays_so(void **state)
{
    struct ring_reader reader;

    (void)state;
    start(RING_OVERWRITE);
    ring_reader_start(&reader, &ring);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_EMPTY);
    assert_int_equal(reader.position, 0);
}

static void starts_at_the_oldest_whole_record(void **state)
{
    struct ring_reader reader;

    (void)state;
    for (uint32_t size = 8; size <= 1024; size += 8) {
        start(RING_OVERWRITE);
        put(2 * SIZE / size + 3, size);
        ring_reader_start(&reader, &ring);
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
        assert_null(payload_fault(record, ring.tail));
        assert_int_equal(reader.skipped, 0);
    }
}

static void counts_every_byte_that_it_was_too_late_for(void **state)
{
    struct ring_reader reader;
    uint64_t found = 0;

    (void)state;
    start(RING_OVERWRITE);
    ring_reader_start(&reader, &ring);
    put(10, 40);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    put(5000, 40);
    while (ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD)
        found++;
    assert_int_equal(found, SIZE / 40);
    assert_int_equal(reader.skipped, (5010 - 1 - found) * 40);
    assert_int_equal(reader.position, ring.head);
}

/* Nothing is copied past the buffer, and the reader stays where it is. */
static void record_without_room_is_told_and_stays(void **state)
{
    struct ring_reader reader;
    uint64_t small[4] = {0, 0, 0, 1};

    (void)state;
    start(RING_OVERWRITE);
    put(1, 32);
    ring_reader_start(&reader, &ring);
    assert_int_equal(ring_read(&reader, small, 24), RING_READ_TOO_LARGE);
    assert_int_equal(ring_read(&reader, small, 24), RING_READ_TOO_LARGE);
    assert_int_equal(small[3], 1);
    assert_int_equal(ring_read(&reader, small, 32), RING_READ_RECORD);
    assert_null(payload_fault(small, 0));
}

/* Impossible sizes, as a stray write would leave them. */
static const uint16_t damaged[] = {0, 4, 12, 65528};

static void set_oldest_size(uint16_t size)
{
    struct perf_event_header *header =
        (struct perf_event_header *)(ring.bytes + (ring.tail & (ring.size - 1)));

    header->size = size;
}

static void damaged_header_ends_a_walk_and_is_told(void **state)
{
    struct ring_reader reader;

    (void)state;
    for (unsigned i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        start(RING_OVERWRITE);
        put(3, 32);
        set_oldest_size(damaged[i]);
        ring_reader_start(&reader, &ring);
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_EMPTY);
        assert_int_equal(reader.skipped, 96);
    }
}

static void damaged_header_does_not_hold_up_the_writer(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        start(RING_OVERWRITE);
        put((unsigned)(ring.size / 32), 32);
        set_oldest_size(damaged[i]);
        put(1, 32);
        assert_true(ring.tail <= ring.published);
        assert_true(ring.published - ring.tail >= 32);
    }
}

static void two_readers_do_not_disturb_one_another(void **state)
{
    struct ring_reader one, other;

    (void)state;
    start(RING_OVERWRITE);
    put(300, 56);
    ring_reader_start(&one, &ring);
    ring_reader_start(&other, &ring);
    while (ring_read(&one, record, sizeof(record)) == RING_READ_RECORD)
        ;
    for (uint64_t at = other.position; at < ring.head; at = other.position) {
        assert_int_equal(ring_read(&other, record, sizeof(record)), RING_READ_RECORD);
        assert_null(payload_fault(record, at));
    }
    assert_null(ring_fault(&ring, 0));
}

/*
 * Writers inside an outer one that was dropped may overwrite everything published, and more: the
 * tail is then past what a reader may read, and it waits there.
 */
static void waits_where_everything_published_was_taken_over(void **state)
{
    struct ring_reader reader;
    struct ring_record outer;

    (void)state;
    start(RING_OVERWRITE);
    put(100, 64);
    ring_reader_start(&reader, &ring);
    assert_false(ring_reserve(&ring, 2 * SIZE, &outer));
    put(200, 64);
    assert_true(ring.tail > ring.published);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_EMPTY);
    ring_commit(&ring, &outer);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_null(payload_fault(record, ring.tail));
    assert_int_equal(reader.skipped, 200 * 64);
    assert_null(ring_fault(&ring, 0));
}

/* Nested writers at all three places, occasionally enough to lap the ring. */
static void burst(void)
{
    put(rand() % 50 ? 1 : 150, 8 + 8 * ((uint32_t)rand() % 20));
}

static bool enough;   /* set by the reading thread, once it has seen enough */
static bool finished; /* set by the writing thread, after its last record */

/* If both threads share a CPU, each yields as soon as the other may have something to do: the
 * writer after a few laps of the ring, at random. */
static void *write_all(void *unused)
{
    (void)unused;
    for (unsigned i = 0; !__atomic_load_n(&enough, __ATOMIC_RELAXED); i++) {
        if (i % 7 == 0)
            writer_hooks.claiming = burst;
        if (i % 11 == 0)
            writer_hooks.claimed = burst;
        if (i % 13 == 0)
            writer_hooks.written = burst;
        put(1, 8 + 8 * (i % 67));
        if ((uint64_t)rand() % (ring.size / 64) == 0)
            sched_yield();
    }
    __atomic_store_n(&finished, true, __ATOMIC_RELEASE);
    return NULL;
}

/* Losses must occur too: otherwise nothing was tested. */
static bool seen_enough(const struct ring_reader *reader, uint64_t records)
{
    if (ring.mode == RING_NORMAL)
        return records > ENOUGH && local_load(&ring.dropped) > ENOUGH;
    return records > ENOUGH && reader->skipped > 100 * ring.size;
}

/* Reads until the writer is done and nothing is left; returns the number of records. */
static uint64_t read_until_finished(struct ring_reader *reader, bool consume)
{
    uint64_t records = 0, bytes = 0, from = reader->position;

    for (;;) {
        bool last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);

        while (ring_read(reader, record, sizeof(record)) == RING_READ_RECORD) {
            uint32_t size = ((struct perf_event_header *)record)->size;
            const char *fault = payload_fault(record, reader->position - size);

            if (fault)
                fail_msg("record at %llu: %s", (unsigned long long)(reader->position - size),
                         fault);
            records++;
            bytes += size;
            if (consume)
                ring_consume(&ring, reader);
        }
        if (last)
            break;
        if (seen_enough(reader, records))
            __atomic_store_n(&enough, true, __ATOMIC_RELAXED);
        sched_yield();
    }
    assert_int_equal(from + bytes + reader->skipped, ring.head);
    return records;
}

static uint64_t read_beside_a_writer(enum ring_mode mode, uint64_t size, struct ring_reader *reader)
{
    pthread_t writer;
    uint64_t records;

    srand(5);
    assert_int_equal(ring_init(&ring, memory, size, mode, mode == RING_NORMAL, NULL), 0);
    enough = finished = false;
    ring_reader_start(reader, &ring);
    assert_int_equal(pthread_create(&writer, NULL, write_all, NULL), 0);
    records = read_until_finished(reader, mode == RING_NORMAL);
    assert_int_equal(pthread_join(writer, NULL), 0);
    return records;
}

static void thread_beside_an_overwriting_writer_takes_no_torn_record(void **state)
{
    struct ring_reader reader;

    (void)state;
    for (uint64_t size = SIZE; size <= LARGE; size *= 4) {
        read_beside_a_writer(RING_OVERWRITE, size, &reader);
        assert_null(ring_fault(&ring, 0));
    }
}

static void thread_that_consumes_gets_all_that_was_not_dropped(void **state)
{
    struct ring_reader reader;
    uint64_t records = read_beside_a_writer(RING_NORMAL, SIZE, &reader);

    (void)state;
    assert_int_equal(reader.skipped, 0);
    assert_int_equal(ring.produced, records + ring.dropped);
    assert_null(ring_fault(&ring, records));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_ring_is_empty_and_stays_so),
        cmocka_unit_test(starts_at_the_oldest_whole_record),
        cmocka_unit_test(counts_every_byte_that_it_was_too_late_for),
        cmocka_unit_test(record_without_room_is_told_and_stays),
        cmocka_unit_test(damaged_header_ends_a_walk_and_is_told),
        cmocka_unit_test(damaged_header_does_not_hold_up_the_writer),
        cmocka_unit_test(two_readers_do_not_disturb_one_another),
        cmocka_unit_test(waits_where_everything_published_was_taken_over),
        cmocka_unit_test(thread_beside_an_overwriting_writer_takes_no_torn_record),
        cmocka_unit_test(thread_that_consumes_gets_all_that_was_not_dropped),
    };
    patience_start(PATIENCE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
