/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring interrupted at every instruction: a writer by nested writers, by a reader and by a
 * debugger that stops the machine there; a reader by writers. ring_writer.h's hooks cover three
 * places; this test covers those in between.
 *
 * sanitizer: undefined
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "core/ring/ring.h"
#include "tests/unit/patience.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_payload.h"
#include "tests/unit/ring_stepped.h"
#include "tests/unit/ring_writer.h"
#include "tests/unit/step.h"

#define SIZE     4096u
#define OLD      40u  /* an old record; no divisor of SIZE, so the end comes anywhere */
#define OUTER    136u /* the tail moves over several old records */
#define NESTED   56u
#define PATIENCE 240 /* CPU-seconds; a ring that hangs is a failure */

static _Alignas(8) uint8_t memory[SIZE];
static struct ring ring;
static struct ring_reader reader;
static uint64_t from;     /* where the reader started */
static uint64_t bytes;    /* read so far */
static uint64_t consumed; /* records, in normal mode */
static const char *fault; /* the first one found; NULL */

/* The intruder. */
static unsigned burst;
static uint32_t burst_size;
static uint32_t victim_size;

/* How often an intruder ran while ...; shared by all processes that the stepper forks. */
static struct windows {
    unsigned noted_not_claimed; /* the claim is noted but the head is where it was */
    unsigned claimed;           /* ... and the record is being written */
    unsigned moved_not_counted; /* the tail was moved, the count was not */
    unsigned
        published_not_left; /* the newest records are published by a writer that is still there */
} * seen;

static void start(enum ring_mode mode, uint64_t position)
{
    assert_int_equal(ring_init(&ring, memory, SIZE, mode, mode == RING_NORMAL, NULL), 0);
    writer_start_at(&ring, position);
    consumed = bytes = 0;
    fault = NULL;
    *seen = (struct windows){0};
}

/* The next record wraps around the ring's end. */
static void start_full(void)
{
    start(RING_OVERWRITE, 24);
    while (ring.head + OLD < 3 * SIZE)
        writer_put(&ring, OLD);
    ring_reader_start(&reader, &ring);
    from = reader.position;
}

static void blame(const char *what)
{
    if (!fault)
        fault = what;
}

/* The records that the counts include. For each active writer one more may be missing, and one move
 * of the tail. */
static uint64_t accounted(const struct ring_look *look)
{
    return look->whole + look->unfinished + ring.overwritten + ring.dropped + consumed;
}

/* A debugger stops the machine here. */
static struct ring_look stop_and_look(void)
{
    struct ring_look look = ring_look(&ring);
    uint64_t missing = ring.produced - accounted(&look);

    if (look.fault)
        blame(look.fault);
    if (look.unfinished > ring.nest)
        blame("more claims than writers");
    if (missing > 2 * ring.nest)
        blame("a committed record is not found");
    seen->moved_not_counted += missing == 2;
    seen->noted_not_claimed += ring.claims[0].size >= 8 && ring.claims[0].offset == ring.head;
    seen->claimed += look.unfinished > 0;
    seen->published_not_left += ring.nest == 1 && missing == 0 && ring.published == ring.head;
    return look;
}

/* A nested writer does not change the outer one's unfinished work, and all of its own records are
 * found at once. */
static void intrude_by_writing(void)
{
    struct ring_look before = stop_and_look(), after;
    uint64_t missing = ring.produced - accounted(&before);

    for (unsigned i = 0; i < burst; i++)
        stepped_put(&ring, burst_size);
    after = stop_and_look();
    if (after.unfinished != before.unfinished)
        blame("the nested writer changed what is unfinished");
    if (ring.produced - accounted(&after) != missing)
        blame("a nested record is not accounted for");
}

static uint64_t published_before;

/*
 * A nested writer has run and returned: the words that it has changed must not mislead a debugger
 * that reads them later.
 */
static void watch(void)
{
    stop_and_look();
    if (ring.published < published_before)
        blame("what was published went backwards");
    published_before = ring.published;
}

static void intrude_deeper(void)
{
    stop_and_look();
    stepped_put(&ring, NESTED + 16);
    stepped_put(&ring, NESTED + 24);
    stop_and_look();
}

static void read_record(void)
{
    static uint64_t record[SIZE / 8];
    struct perf_event_header header;
    enum ring_read_result got;

    step_on();
    got = ring_read(&reader, record, sizeof(record));
    step_off();
    if (got == RING_READ_TOO_LARGE)
        blame("the reader believes in a record that is longer than the ring");
    if (got != RING_READ_RECORD)
        return;
    memcpy(&header, record, sizeof(header));
    if (payload_fault(record, reader.position - header.size))
        blame("the reader took a torn record");
    bytes += header.size;
    if (ring.mode == RING_NORMAL) {
        consumed++;
        step_on();
        ring_consume(&ring, &reader);
        step_off();
    }
}

static void read_rest(void)
{
    for (uint64_t before = from - 1; reader.position != before;) {
        before = reader.position;
        read_record();
    }
}

static const char *verdict(void)
{
    if (!fault)
        fault = ring_fault(&ring, consumed);
    return fault;
}

static const char *verdict_of_reader(void)
{
    read_rest();
    if (from + bytes + reader.skipped != ring.head)
        blame("the reader miscounted what it skipped");
    return verdict();
}

static void write_one(void)
{
    stepped_put(&ring, victim_size);
}

static void read_three(void)
{
    for (unsigned i = 0; i < 3; i++)
        read_record();
}

static void step_all(const struct step_plan *plan)
{
    stepped_through(plan);
    fault = plan->verdict();
    if (fault)
        fail_msg("not even interrupted: %s", fault);
}

/* The stride for cases that differ only in the intruder; SOAK=1 tries every instruction. */
static unsigned each(unsigned stride)
{
    return getenv("SOAK") ? 1 : stride;
}

static void step_writer(uint32_t outer, unsigned count, uint32_t nested, unsigned stride)
{
    const struct step_plan plan = {
        .victim = write_one, .intrude = intrude_by_writing, .verdict = verdict, .stride = stride};

    victim_size = outer;
    burst = count;
    burst_size = nested;
    step_all(&plan);
    assert_true(seen->noted_not_claimed && seen->published_not_left);
    assert_true(seen->claimed || ring.dropped);
}

static void nested_writer_at_every_instruction(void **state)
{
    (void)state;
    start_full();
    step_writer(OUTER, 1, NESTED, 1);
    assert_true(seen->moved_not_counted > 0);
}

static void nested_burst_of_laps(void **state)
{
    (void)state;
    start_full();
    step_writer(OUTER, 3 * SIZE / NESTED, NESTED, each(3));
}

static void nested_writer_beside_a_long_record(void **state)
{
    (void)state;
    start_full();
    step_writer(600, 60, NESTED, each(5));
}

static void nested_writer_that_takes_the_whole_ring(void **state)
{
    (void)state;
    start_full();
    step_writer(OUTER, 2, SIZE, each(3));
}

static void nested_writer_in_normal_mode_at_every_instruction(void **state)
{
    (void)state;
    start(RING_NORMAL, SIZE - 24);
    for (unsigned i = 0; i < SIZE / OLD - 4; i++)
        writer_put(&ring, OLD);
    step_writer(OUTER, 1, NESTED, 1); /* only one of the two fits */
}

/* That is, pairs of instructions. */
static void debugger_after_a_nested_writer_has_gone(void **state)
{
    const struct step_plan plan = {.victim = write_one,
                                   .intrude = intrude_by_writing,
                                   .watch = watch,
                                   .verdict = verdict,
                                   .stride = each(3)};
    (void)state;
    start(RING_OVERWRITE, SIZE - 24);
    published_before = 0;
    victim_size = OUTER;
    burst = 3;
    burst_size = NESTED;
    step_all(&plan);
}

static void two_levels_of_nested_writers(void **state)
{
    const struct step_plan plan = {.victim = write_one,
                                   .intrude = intrude_by_writing,
                                   .intrude_deeper = intrude_deeper,
                                   .verdict = verdict,
                                   .stride = getenv("SOAK") ? 11 : 29};
    (void)state;
    start_full();
    victim_size = OUTER;
    burst = 1;
    burst_size = NESTED;
    step_all(&plan);
}

static void reader_at_every_instruction_of_a_writer(void **state)
{
    static const struct step_plan plan = {
        .victim = write_one, .intrude = read_rest, .verdict = verdict_of_reader, .stride = 1};

    (void)state;
    for (unsigned mode = RING_NORMAL; mode <= RING_OVERWRITE; mode++) {
        if (mode == RING_OVERWRITE)
            start_full();
        else
            start(RING_NORMAL, SIZE - 24);
        ring_reader_start(&reader, &ring);
        from = reader.position;
        victim_size = OUTER;
        step_all(&plan);
    }
}

static void write_burst(void)
{
    for (unsigned i = 0; i < burst; i++)
        writer_put(&ring, burst_size);
}

static void writer_at_every_instruction_of_a_reader(void **state)
{
    static const struct step_plan plan = {
        .victim = read_three, .intrude = write_burst, .verdict = verdict_of_reader, .stride = 1};
    static const unsigned bursts[] = {1, 3 * SIZE / NESTED};

    (void)state;
    burst_size = NESTED;
    for (unsigned i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
        start_full();
        writer_put(&ring, OLD);
        burst = bursts[i];
        step_all(&plan);
    }
}

static void writer_at_every_instruction_of_a_consumer(void **state)
{
    static const struct step_plan plan = {
        .victim = read_three, .intrude = write_burst, .verdict = verdict_of_reader, .stride = 1};

    (void)state;
    start(RING_NORMAL, SIZE - 24);
    while (writer_put(&ring, OLD))
        ;
    ring_reader_start(&reader, &ring);
    from = reader.position;
    burst = 3;
    burst_size = OLD;
    step_all(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_writer_at_every_instruction),
        cmocka_unit_test(nested_burst_of_laps),
        cmocka_unit_test(nested_writer_beside_a_long_record),
        cmocka_unit_test(nested_writer_that_takes_the_whole_ring),
        cmocka_unit_test(nested_writer_in_normal_mode_at_every_instruction),
        cmocka_unit_test(debugger_after_a_nested_writer_has_gone),
        cmocka_unit_test(two_levels_of_nested_writers),
        cmocka_unit_test(reader_at_every_instruction_of_a_writer),
        cmocka_unit_test(writer_at_every_instruction_of_a_reader),
        cmocka_unit_test(writer_at_every_instruction_of_a_consumer),
    };
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 1;
    patience_start(PATIENCE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
