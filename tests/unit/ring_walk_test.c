/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of tools/postmortem over a stopped machine's ring: at every instruction of a writer,
 * with nested writers, it finds what tests/unit/ring_check.c finds with different code; overwritten
 * rings are refused, or read up to the damage. Built without AddressSanitizer, whose code would
 * also be stepped.
 *
 * sanitizer: undefined
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "core/ring/ring.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_payload.h"
#include "tests/unit/ring_stepped.h"
#include "tests/unit/ring_writer.h"
#include "tests/unit/step.h"

#define SIZE   4096u
#define OLD    40u
#define OUTER  136u
#define NESTED 56u

static _Alignas(8) uint8_t memory[SIZE];
static struct ring ring;
static const char *fault; /* the first one found; NULL */

/* Shared by all processes that the stepper forks. */
static struct {
    unsigned unfinished, inside;
} * seen;

static void blame(const char *what)
{
    if (what && !fault)
        fault = what;
}

/* Walks to the end; the walk holds what was found. */
static enum ring_walk_step walk_all(struct ring_walk *walk)
{
    static _Alignas(8) uint8_t record[RING_RECORD_MAX];
    enum ring_walk_step step;
    uint64_t position;

    blame(ring_walk_refuses(&ring));
    ring_walk_start(walk, &ring);
    do {
        step = ring_walk_next(walk, record);
        position = walk->position - ((struct perf_event_header *)record)->size;
        if (step == RING_WALK_RECORD)
            blame(payload_fault(record, position));
    } while (step == RING_WALK_RECORD);
    return step;
}

/* The machine stops here. */
static void halt_there(void)
{
    struct ring_look look = ring_look(&ring);
    struct ring_walk walk;

    blame(look.fault);
    if (walk_all(&walk) != RING_WALK_END || walk.position != ring.head)
        blame("the walk did not come to the head");
    if (walk.records != look.whole || walk.unfinished != look.unfinished)
        blame("the walk found other records");
    if (!ring_walk_adds_up(&walk))
        blame("the account does not close");
    seen->unfinished += walk.unfinished > 0;
    seen->inside += walk.inside > 0;
}

static void put_outer(void)
{
    stepped_put(&ring, OUTER);
}

static void stop_and_nest(void)
{
    halt_there();
    stepped_put(&ring, NESTED);
    halt_there();
}

static const char *verdict(void)
{
    halt_there();
    return fault;
}

/* Fills the ring; the next record lies across its end. */
static void fill(void)
{
    assert_int_equal(ring_init(&ring, memory, SIZE, RING_OVERWRITE, false, NULL), 0);
    writer_start_at(&ring, 24);
    while (ring.head + OLD < 3 * SIZE)
        writer_put(&ring, OLD);
    fault = NULL;
    memset(seen, 0, sizeof(*seen));
}

static void step_all(const struct step_plan *plan)
{
    fill();
    stepped_through(plan);
    assert_true(seen->unfinished > 20 && seen->inside > 20);
}

static void finds_what_is_there_at_every_instruction(void **state)
{
    static const struct step_plan plan = {.victim = put_outer,
                                          .intrude = stop_and_nest,
                                          .watch = halt_there,
                                          .verdict = verdict,
                                          .stride = 5};

    (void)state;
    step_all(&plan);
}

static void finds_what_is_there_two_levels_deep(void **state)
{
    static const struct step_plan plan = {.victim = put_outer,
                                          .intrude = stop_and_nest,
                                          .intrude_deeper = stop_and_nest,
                                          .verdict = verdict,
                                          .stride = 17};

    (void)state;
    step_all(&plan);
}

static void refuses_what_is_no_ring(void **state)
{
    struct ring sound;

    (void)state;
    fill();
    sound = ring;
    assert_null(ring_walk_refuses(&ring));
    ring.size = SIZE - 8;
    assert_non_null(ring_walk_refuses(&ring));
    ring.size = (uint64_t)RING_SIZE_MAX * 2;
    assert_non_null(ring_walk_refuses(&ring));
    ring = sound;
    ring.tail = ring.head + 8;
    assert_non_null(ring_walk_refuses(&ring));
    ring = sound;
    ring.tail = ring.head - SIZE - 8;
    assert_non_null(ring_walk_refuses(&ring));
    ring = sound;
    ring.tail += 4;
    assert_non_null(ring_walk_refuses(&ring));
}

static struct perf_event_header *header_at(uint64_t position)
{
    return (struct perf_event_header *)(memory + position % SIZE);
}

/* Impossible sizes, in place of the tenth record's. */
static void leaves_a_ring_where_it_does_not_hold_together(void **state)
{
    static const uint16_t sizes[] = {0, 4, 12, SIZE, 65535};
    struct ring_walk walk;

    (void)state;
    fill();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        header_at(ring.tail + 9 * OLD)->size = sizes[i];
        assert_int_equal(walk_all(&walk), RING_WALK_DAMAGED);
        assert_int_equal(walk.records, 9);
        assert_int_equal(walk.position, ring.tail + 9 * OLD);
    }
    header_at(ring.tail + 9 * OLD)->size = OLD;
    ring.claims[1] = (struct ring_claim){.offset = ring.tail + 5 * OLD, .size = 2 * SIZE};
    assert_int_equal(walk_all(&walk), RING_WALK_DAMAGED);
    assert_int_equal(walk.records, 5);
}

/* A nested writer has claimed the place that an outer writer had noted and not yet voided. */
static void the_deepest_claim_of_a_place_counts(void **state)
{
    uint64_t place;
    struct ring_walk walk;

    (void)state;
    fill();
    place = ring.head;
    ring.head += NESTED;
    ring.tail += 2 * OLD;
    ring.claims[0] = (struct ring_claim){.offset = place, .size = OUTER};
    ring.claims[2] = (struct ring_claim){.offset = place, .size = NESTED};
    assert_int_equal(walk_all(&walk), RING_WALK_END);
    assert_int_equal(walk.unfinished, 1);
    ring.claims[2].offset = UINT64_MAX; /* still choosing: the outer one has this */
    ring.head = place + OUTER;
    ring.tail += 3 * OLD;
    assert_int_equal(walk_all(&walk), RING_WALK_END);
    assert_int_equal(walk.unfinished, 1);
}

static void closes_the_account(void **state)
{
    struct ring_walk walk;

    (void)state;
    fill();
    assert_int_equal(walk_all(&walk), RING_WALK_END);
    assert_true(ring_walk_adds_up(&walk));
    ring.produced++;
    assert_false(ring_walk_adds_up(&walk));
    ring.nest = 1; /* the writer may be about to claim, and have moved the tail */
    assert_true(ring_walk_adds_up(&walk));
    ring.produced += 2;
    assert_false(ring_walk_adds_up(&walk));
    ring.produced -= 4;
    assert_false(ring_walk_adds_up(&walk));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_there_at_every_instruction),
        cmocka_unit_test(finds_what_is_there_two_levels_deep),
        cmocka_unit_test(refuses_what_is_no_ring),
        cmocka_unit_test(leaves_a_ring_where_it_does_not_hold_together),
        cmocka_unit_test(the_deepest_claim_of_a_place_counts),
        cmocka_unit_test(closes_the_account),
    };

    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
