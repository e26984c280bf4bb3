/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring with one writer: what is refused, every alignment and every size around the ring's end,
 * both modes, and the counts against a model after every step of long random histories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/errno.h>

#include "core/ring/ring.h"
#include "tests/unit/patience.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"
#include "tests/unit/ring_writer.h"

#define SMALL    4096u
#define LARGE    (1u << 20)
#define STEPS    60000
#define PATIENCE 60 /* CPU-seconds; a ring that hangs is a failure */

static _Alignas(8) uint8_t memory[LARGE + 8];
static struct ring ring;

static void start(uint64_t size, enum ring_mode mode)
{
    assert_int_equal(ring_init(&ring, memory, size, mode, mode == RING_NORMAL, NULL), 0);
}

static void assert_sound(uint64_t consumed)
{
    const char *fault = ring_fault(&ring, consumed);

    if (fault)
        fail_msg("%s", fault);
}

static void refused(void *at, uint64_t size, enum ring_mode mode, bool reader_owns_tail,
                    const char *reason)
{
    struct refusal why = {{0}};

    assert_int_equal(ring_init(&ring, at, size, mode, reader_owns_tail, &why), -EINVAL);
    if (!strstr(why.text, reason))
        fail_msg("\"%s\" lacks \"%s\"", why.text, reason);
    assert_int_equal(ring_init(&ring, at, size, mode, reader_owns_tail, NULL), -EINVAL);
}

static void refuses_what_is_no_power_of_two_or_out_of_range(void **state)
{
    static const uint64_t sizes[] = {0,    1,         8,         2048,           4095,
                                     4097, 6144,      1u << 31,  (1u << 30) + 8, 1ull << 32,
                                     3,    LARGE - 1, LARGE + 1, UINT64_MAX,     1ull << 63};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        refused(memory, sizes[i], RING_OVERWRITE, false, "power of two from 4096 to 1073741824");
    refused(memory, 6144, RING_NORMAL, true, "6144");
}

static void refuses_memory_that_is_not_aligned(void **state)
{
    (void)state;
    for (unsigned off = 1; off < 8; off++)
        refused(memory + off, SMALL, RING_NORMAL, true, "8-byte aligned");
}

static void refuses_overwrite_with_a_tail_that_the_reader_owns(void **state)
{
    (void)state;
    refused(memory, SMALL, RING_OVERWRITE, true, "tail");
    assert_int_equal(ring_init(&ring, memory, SMALL, RING_OVERWRITE, false, NULL), 0);
    assert_int_equal(ring_init(&ring, memory, SMALL, RING_NORMAL, true, NULL), 0);
    assert_int_equal(ring_init(&ring, memory, SMALL, RING_NORMAL, false, NULL), 0);
}

static void refuses_and_counts_impossible_record_sizes(void **state)
{
    static const uint32_t sizes[] = {
        0, 1, 7, 9, 12, 44, 65529, 65532, 65536, 65544, UINT32_MAX & ~7u};
    struct ring_record record;

    (void)state;
    start(LARGE, RING_OVERWRITE);
    assert_true(writer_put(&ring, 24));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_false(ring_reserve(&ring, sizes[i], &record));
        ring_commit(&ring, &record);
        assert_int_equal(ring.dropped, i + 1);
        assert_sound(0);
    }
    assert_int_equal(ring.head, 24);
}

/* One record of every size at every place, alone in the ring. */
static void every_size_at_every_alignment_of_a_small_ring(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < SMALL; at += 8) {
        start(SMALL, RING_OVERWRITE);
        for (uint32_t size = 8; size <= SMALL; size += 8) {
            writer_start_at(&ring, ring.head + (at - ring.head) % SMALL);
            ring.produced = 0;
            assert_true(writer_put(&ring, size));
            assert_int_equal(ring.head - ring.tail, size);
            assert_sound(0);
        }
    }
}

/* The ring is always full of old records: the tail moves over one, several or all of them. */
static void every_size_over_old_records_of_a_small_ring(void **state)
{
    (void)state;
    start(SMALL, RING_OVERWRITE);
    for (uint32_t old = 8; old <= 520; old += 8) {
        for (uint32_t size = 8; size <= SMALL; size += 248) {
            for (uint32_t filled = 0; filled < SMALL; filled += old)
                assert_true(writer_put(&ring, old));
            assert_true(writer_put(&ring, size));
            assert_sound(0);
        }
    }
}

static void every_size_in_a_large_ring(void **state)
{
    static uint64_t record[RING_RECORD_MAX / 8];
    struct ring_reader reader;

    (void)state;
    start(LARGE, RING_OVERWRITE);
    ring_reader_start(&reader, &ring);
    for (uint32_t size = 8; size <= RING_RECORD_MAX; size += 8) {
        uint64_t position = reader.position;

        assert_true(writer_put(&ring, size));
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
        assert_int_equal(reader.position - position, size);
        assert_null(payload_fault(record, position));
    }
    assert_int_equal(reader.skipped, 0);
    assert_sound(0);
}

/* Eight bytes, at multiples of eight: a header is always contiguous, and so may be read in place.
 */
static void no_header_straddles_the_end(void **state)
{
    (void)state;
    _Static_assert(sizeof(struct perf_event_header) == 8, "a header is one aligned word");
    for (uint32_t before = 8; before <= 64; before += 8) {
        start(SMALL, RING_OVERWRITE);
        writer_start_at(&ring, SMALL - before);
        for (unsigned i = 0; i < 2 * SMALL / 8; i++) {
            assert_true(writer_put(&ring, 8 + 8 * (i % 5)));
            assert_int_equal(ring.head % 8, 0);
            assert_sound(0);
        }
    }
}

static void positions_grow_past_32_bits(void **state)
{
    (void)state;
    for (unsigned mode = RING_NORMAL; mode <= RING_OVERWRITE; mode++) {
        start(SMALL, mode);
        writer_start_at(&ring, (1ull << 32) - 1000);
        for (unsigned i = 0; i < 200; i++)
            assert_int_equal(writer_put(&ring, 72), mode == RING_OVERWRITE || i < SMALL / 72);
        assert_sound(0);
    }
}

static void larger_than_the_ring_loses_nothing_old(void **state)
{
    (void)state;
    for (unsigned mode = RING_NORMAL; mode <= RING_OVERWRITE; mode++) {
        start(SMALL, mode);
        for (unsigned i = 0; i < 100; i++)
            writer_put(&ring, 64);
        uint64_t tail = ring.tail, dropped = ring.dropped;
        for (uint32_t size = SMALL + 8; size <= RING_RECORD_MAX; size += 808)
            assert_false(writer_put(&ring, size));
        assert_int_equal(ring.tail, tail);
        assert_int_equal(ring.dropped - dropped, (RING_RECORD_MAX - SMALL - 8) / 808 + 1);
        assert_sound(0);
    }
}

static void normal_mode_drops_when_full_and_continues_when_consumed(void **state)
{
    static uint64_t record[8];
    struct ring_reader reader;
    uint64_t consumed = 0;

    (void)state;
    start(SMALL, RING_NORMAL);
    ring_reader_start(&reader, &ring);
    for (unsigned round = 0; round < 200; round++) {
        while (writer_put(&ring, 64))
            ;
        assert_int_equal(ring.head - ring.tail, SMALL);
        assert_sound(consumed);
        for (unsigned i = 0; i <= round % 64; i++, consumed++) {
            uint64_t position = reader.position;

            assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
            assert_null(payload_fault(record, position));
        }
        assert_false(writer_put(&ring, 64)); /* what was read is not yet returned */
        ring_consume(&ring, &reader);
        assert_sound(consumed);
    }
    assert_int_equal(ring.overwritten, 0);
    assert_int_equal(ring.dropped, 2 * 200);
}

/* A prepared record gets the claim's time if there is a claim, and otherwise stays unchanged. */
static void output_fills_in_the_time_and_counts_what_it_drops(void **state)
{
    const unsigned fit = SMALL / 24;
    struct {
        struct perf_event_header header;
        uint64_t time, word;
    } record = {.header = {.size = sizeof(record)}, .word = 0x1234567890abcdef}, copy;
    struct ring_reader reader;

    (void)state;
    start(SMALL, RING_NORMAL);
    ring_reader_start(&reader, &ring);
    assert_int_equal(sizeof(record), 24);
    for (unsigned i = 0; i < fit + 7; i++) {
        record.time = 0;
        ring_output(&ring, &record, sizeof(record), &record.time);
        assert_int_equal(ring.dropped, i < fit ? 0 : i - fit + 1);
    }
    for (uint64_t time = 0; ring_read(&reader, &copy, sizeof(copy)) == RING_READ_RECORD;) {
        assert_int_equal(copy.word, record.word);
        assert_true(copy.time > time);
        time = copy.time;
    }
    assert_int_equal(reader.position, SMALL - SMALL % sizeof(record));
    assert_int_equal(ring.nest, 0);
}

static void output_inside_a_writer_leaves_its_claim_alone(void **state)
{
    struct {
        struct perf_event_header header;
        uint64_t time;
    } inner = {.header = {.size = sizeof(inner)}}, whole = inner;
    struct ring_record outer;

    (void)state;
    start(SMALL, RING_OVERWRITE);
    assert_true(ring_reserve(&ring, sizeof(whole), &outer));
    ring_output(&ring, &inner, sizeof(inner), &inner.time);
    assert_int_equal(ring.claims[0].offset, outer.offset);
    assert_int_equal(ring.claims[0].size, sizeof(whole));
    assert_int_equal(ring.published, outer.offset);
    assert_int_equal(ring.nest, 1);
    assert_true(inner.time > outer.time);
    ring_write(&ring, &outer, &whole, sizeof(whole));
    ring_commit(&ring, &outer);
    assert_int_equal(ring.published, outer.offset + sizeof(whole) + sizeof(inner));
}

/* The expected contents of a ring: the sizes of its records, oldest first. */
struct model {
    uint32_t sizes[SMALL / 8];
    unsigned first, count;
    uint64_t bytes, overwritten, dropped;
};

static void model_give_up_oldest(struct model *model)
{
    model->bytes -= model->sizes[model->first++ % (SMALL / 8)];
    model->count--;
}

static bool model_put(struct model *model, enum ring_mode mode, uint32_t size)
{
    if (size > SMALL || (mode == RING_NORMAL && model->bytes + size > SMALL)) {
        model->dropped++;
        return false;
    }
    while (model->bytes + size > SMALL) {
        model_give_up_oldest(model);
        model->overwritten++;
    }
    model->sizes[(model->first + model->count++) % (SMALL / 8)] = size;
    model->bytes += size;
    return true;
}

/* Mostly short records, some long ones and some that cannot fit. */
static uint32_t random_size(void)
{
    unsigned kind = (unsigned)rand() % 100;
    uint32_t limit = kind < 90 ? 200 : kind < 99 ? SMALL + 8 : RING_RECORD_MAX;

    return 8 + (uint32_t)rand() % (limit / 8) * 8;
}

static uint64_t consume_some(struct ring_reader *reader, struct model *model)
{
    static uint64_t record[SMALL / 8];
    uint64_t consumed = 0;

    for (int wanted = rand() % 40; wanted > 0; wanted--, consumed++) {
        if (ring_read(reader, record, sizeof(record)) != RING_READ_RECORD)
            break;
        model_give_up_oldest(model);
    }
    ring_consume(&ring, reader);
    return consumed;
}

static void history(enum ring_mode mode)
{
    struct model model = {0};
    struct ring_reader reader;
    uint64_t consumed = 0;

    start(SMALL, mode);
    ring_reader_start(&reader, &ring);
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t size = random_size();

        assert_int_equal(writer_put(&ring, size), model_put(&model, mode, size));
        if (mode == RING_NORMAL && rand() % 30 == 0)
            consumed += consume_some(&reader, &model);
        assert_sound(consumed);
        assert_int_equal(ring.produced, step + 1);
        assert_int_equal(ring.overwritten, model.overwritten);
        assert_int_equal(ring.dropped, model.dropped);
        assert_int_equal(ring.head - ring.tail, model.bytes);
    }
}

static void account_is_right_after_every_step_in_normal_mode(void **state)
{
    (void)state;
    srand(1);
    history(RING_NORMAL);
}

static void account_is_right_after_every_step_in_overwrite_mode(void **state)
{
    (void)state;
    srand(2);
    history(RING_OVERWRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_power_of_two_or_out_of_range),
        cmocka_unit_test(refuses_memory_that_is_not_aligned),
        cmocka_unit_test(refuses_overwrite_with_a_tail_that_the_reader_owns),
        cmocka_unit_test(refuses_and_counts_impossible_record_sizes),
        cmocka_unit_test(every_size_at_every_alignment_of_a_small_ring),
        cmocka_unit_test(every_size_over_old_records_of_a_small_ring),
        cmocka_unit_test(every_size_in_a_large_ring),
        cmocka_unit_test(no_header_straddles_the_end),
        cmocka_unit_test(positions_grow_past_32_bits),
        cmocka_unit_test(larger_than_the_ring_loses_nothing_old),
        cmocka_unit_test(normal_mode_drops_when_full_and_continues_when_consumed),
        cmocka_unit_test(output_fills_in_the_time_and_counts_what_it_drops),
        cmocka_unit_test(output_inside_a_writer_leaves_its_claim_alone),
        cmocka_unit_test(account_is_right_after_every_step_in_normal_mode),
        cmocka_unit_test(account_is_right_after_every_step_in_overwrite_mode),
    };
    patience_start(PATIENCE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
