/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writers that interrupt writers, at the three places of ring_writer.h's hooks. ring_step_test.c
 * tests every other place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/ring/ring.h"
#include "tests/unit/patience.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_writer.h"

#define SIZE     4096u
#define RECORD   64u /* divides SIZE, so the number that fit is exact */
#define FIT      (SIZE / RECORD)
#define ROUNDS   10000
#define PATIENCE 60 /* CPU-seconds; a ring that hangs is a failure */

static _Alignas(8) uint8_t memory[SIZE];
static struct ring ring;
static unsigned burst;    /* records that the next intruder writes */
static unsigned recorded; /* ... and how many of them fitted */

static void start(enum ring_mode mode)
{
    assert_int_equal(ring_init(&ring, memory, SIZE, mode, false, NULL), 0);
    writer_hooks = (struct writer_hooks){0};
    recorded = 0;
}

static void start_full(enum ring_mode mode)
{
    start(mode);
    for (unsigned i = 0; i < 2 * FIT + 5; i++)
        writer_put(&ring, RECORD);
}

static void assert_sound(void)
{
    const char *fault = ring_fault(&ring, 0);

    if (fault)
        fail_msg("%s", fault);
}

/* While writers are active: what a stopped machine shows. */
static struct ring_look assert_look_sound(void)
{
    struct ring_look look = ring_look(&ring);

    if (look.fault)
        fail_msg("%s", look.fault);
    return look;
}

static void assert_look(uint64_t unfinished)
{
    assert_int_equal(assert_look_sound().unfinished, unfinished);
}

static void intrude(void)
{
    for (; burst > 0; burst--)
        recorded += writer_put(&ring, RECORD);
}

static void nested_in_the_claim_loop_goes_first(void **state)
{
    (void)state;
    start(RING_OVERWRITE);
    burst = 1;
    writer_hooks.claiming = intrude;
    assert_true(writer_put(&ring, RECORD + 8));
    assert_int_equal(((struct perf_event_header *)memory)->size, RECORD);
    assert_sound(); /* in order of time, although the outer writer read the clock first */
}

static void a_record_nested_after_the_claim_lies_behind_it(void **state)
{
    (void)state;
    start(RING_OVERWRITE);
    burst = 3;
    writer_hooks.claimed = intrude;
    assert_true(writer_put(&ring, RECORD + 8));
    assert_int_equal(((struct perf_event_header *)memory)->size, RECORD + 8);
    assert_int_equal(recorded, 3);
    assert_sound();
}

/* At each of the three places, in empty and full rings, with bursts up to several laps. */
static void bursts_of_every_length_at_every_place(void **state)
{
    static void (**const places[])(void) = {&writer_hooks.claiming, &writer_hooks.claimed,
                                            &writer_hooks.written};
    (void)state;
    for (unsigned mode = RING_NORMAL; mode <= RING_OVERWRITE; mode++) {
        for (unsigned place = 0; place < 3; place++) {
            for (unsigned length = 0; length < 4 * FIT; length++) {
                if (length % 2)
                    start(mode);
                else
                    start_full(mode);
                burst = length;
                *places[place] = intrude;
                writer_put(&ring, RECORD);
                assert_sound();
            }
        }
    }
}

/*
 * The outer writer has read the head; then a burst of nested writers moves head and tail by more
 * than the ring's size. The end that the outer writer has computed is now older than the tail,
 * which must not count as "no room yet".
 */
static void burst_of_more_than_a_ring_in_the_claim_loop_gives_up_nothing_more(void **state)
{
    (void)state;
    start_full(RING_OVERWRITE);
    burst = 3 * FIT;
    writer_hooks.claiming = intrude;
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(recorded, 3 * FIT);
    assert_int_equal(ring.head - ring.tail, SIZE);
    assert_sound();
}

static void look_for_no_claim(void)
{
    assert_look(0);
}

static void take_the_place(void)
{
    recorded += writer_put(&ring, 2 * RECORD);
    writer_hooks.claiming = look_for_no_claim;
}

/* The outer writer must not note a place as its own that another writer has claimed and finished in
 * between. */
static void lost_place_is_not_noted(void **state)
{
    (void)state;
    start_full(RING_OVERWRITE);
    writer_hooks.claiming = take_the_place;
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(recorded, 1);
    assert_null(writer_hooks.claiming); /* the claim loop ran again */
    assert_sound();
}

static void intrude_and_look(void)
{
    uint64_t tail_limit = ring.claims[0].offset;

    for (; burst > 0; burst--) {
        recorded += writer_put(&ring, RECORD);
        assert_look(1);
        assert_true(ring.tail <= tail_limit);
    }
}

static void tail_moves_up_to_the_outer_record_and_not_past_it(void **state)
{
    (void)state;
    start_full(RING_OVERWRITE);
    uint64_t dropped = ring.dropped;
    burst = 2 * FIT;
    writer_hooks.claimed = intrude_and_look;
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(recorded, FIT - 1);
    assert_int_equal(ring.dropped - dropped, FIT + 1);
    assert_sound();
}

static void nested_that_cannot_fit_beside_the_outer_loses_nothing_old(void)
{
    uint64_t tail = ring.tail;

    assert_false(writer_put(&ring, SIZE));
    assert_false(writer_put(&ring, SIZE - RECORD + 8));
    assert_int_equal(ring.tail, tail);
    assert_true(writer_put(&ring, SIZE - RECORD));
    assert_look(1);
}

static void too_long_beside_the_outer_is_dropped(void **state)
{
    (void)state;
    start_full(RING_OVERWRITE);
    writer_hooks.claimed = nested_that_cannot_fit_beside_the_outer_loses_nothing_old;
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(ring.dropped, 2);
    assert_sound();
}

static void (**next_place)(void);

/* Each writer starts the next one at the same place, until the ring refuses. */
static void nest_deeper(void)
{
    unsigned depth = (unsigned)ring.nest;

    if (depth < RING_NESTING) {
        *next_place = nest_deeper;
        recorded += writer_put(&ring, RECORD + 8 * depth);
    } else {
        assert_false(writer_put(&ring, RECORD));
    }
    assert_int_equal(ring.nest, depth);
    assert_look_sound();
}

static void four_levels_record_and_the_fifth_is_dropped(void **state)
{
    static void (**const places[])(void) = {&writer_hooks.claimed, &writer_hooks.written};

    (void)state;
    for (unsigned place = 0; place < 2; place++) {
        start_full(RING_OVERWRITE);
        next_place = places[place];
        for (unsigned round = 0; round < 100; round++) {
            uint64_t dropped = ring.dropped;

            recorded = 0;
            nest_deeper();
            assert_int_equal(recorded, RING_NESTING);
            assert_int_equal(ring.dropped - dropped, 1);
            assert_sound();
        }
    }
}

static void look_at_unpublished(void)
{
    uint64_t published = ring.published;

    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(ring.published, published);
    assert_look(1);
}

static void only_the_outermost_publishes(void **state)
{
    (void)state;
    start(RING_OVERWRITE);
    writer_hooks.claimed = look_at_unpublished;
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(ring.published, 2 * RECORD);
    assert_sound();
}

/* A writer whose record is dropped is still the outermost one. */
static void outermost_publishes_also_when_dropped(void **state)
{
    struct ring_record record;

    (void)state;
    start(RING_OVERWRITE);
    assert_false(ring_reserve(&ring, RING_RECORD_MAX, &record));
    assert_true(writer_put(&ring, RECORD));
    assert_int_equal(ring.published, 0);
    ring_commit(&ring, &record);
    assert_int_equal(ring.published, RECORD);
    assert_sound();
}

static void intrude_at_random(void)
{
    void (**const places[])(void) = {&writer_hooks.claiming, &writer_hooks.claimed,
                                     &writer_hooks.written};

    for (int writes = rand() % 64 ? rand() % 4 : rand() % 200; writes > 0; writes--) {
        if (ring.nest <= RING_NESTING && rand() % 3 == 0)
            *places[rand() % 3] = intrude_at_random;
        writer_put(&ring, 8 + 8 * ((uint32_t)rand() % (rand() % 20 ? 20 : 540)));
        assert_look_sound();
    }
}

static void random_nests(enum ring_mode mode)
{
    struct ring_reader reader;
    uint64_t record[SIZE / 8], consumed = 0;

    start(mode);
    ring_reader_start(&reader, &ring);
    for (unsigned round = 0; round < ROUNDS; round++) {
        intrude_at_random();
        writer_hooks = (struct writer_hooks){0}; /* some still wait for a writer */
        while (mode == RING_NORMAL && rand() % 16 &&
               ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD)
            consumed++;
        if (mode == RING_NORMAL) {
            uint64_t here = reader.position;
            ring_consume(&ring, &reader);
            assert_int_equal(ring.tail, here);
        }
        const char *fault = ring_fault(&ring, consumed);
        if (fault)
            fail_msg("round %u: %s", round, fault);
    }
    assert_true(ring.dropped > ROUNDS / 10);
    assert_true(mode == RING_NORMAL || ring.overwritten > ROUNDS);
}

static void random_nests_add_up_in_normal_mode(void **state)
{
    (void)state;
    srand(3);
    random_nests(RING_NORMAL);
}

static void random_nests_add_up_in_overwrite_mode(void **state)
{
    (void)state;
    srand(4);
    random_nests(RING_OVERWRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_in_the_claim_loop_goes_first),
        cmocka_unit_test(a_record_nested_after_the_claim_lies_behind_it),
        cmocka_unit_test(burst_of_more_than_a_ring_in_the_claim_loop_gives_up_nothing_more),
        cmocka_unit_test(bursts_of_every_length_at_every_place),
        cmocka_unit_test(lost_place_is_not_noted),
        cmocka_unit_test(tail_moves_up_to_the_outer_record_and_not_past_it),
        cmocka_unit_test(too_long_beside_the_outer_is_dropped),
        cmocka_unit_test(four_levels_record_and_the_fifth_is_dropped),
        cmocka_unit_test(only_the_outermost_publishes),
        cmocka_unit_test(outermost_publishes_also_when_dropped),
        cmocka_unit_test(random_nests_add_up_in_normal_mode),
        cmocka_unit_test(random_nests_add_up_in_overwrite_mode),
    };
    patience_start(PATIENCE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
