/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/stream/drain.c: when the thread streams and when it waits, how much room it returns to the
 * writers, and a panic at every instruction while records are handed over: afterwards each record
 * is in the stream once or, if the stream's header was being sent, in the block.
 *
 * links: tests/host/fake_symbols.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 * libs: -lzstd
 * sanitizer: undefined
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <zstd.h>

#include "core/abi/perf_pipe.h"
#include "core/event/event.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/crc32.h"
#include "core/recording/recording.h"
#include "core/ring/ring.h"
#include "core/stream/drain.h"
#include "tests/unit/step.h"

#define CPUS      2
#define RING_SIZE 4096u
#define SECOND    1000000000ull
#define TASK_NS   77 /* when the second task was created */
#define LOST      3  /* records on the second CPU */

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

/* --- The machine around it --- */

static _Alignas(8) uint8_t memory[CPUS][RING_SIZE];
static struct ring rings[CPUS];
static struct recorded_event event = {
    .id = 5,
    .attr = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME},
    .name = "mem:flag:w"};
static struct recorded_task tasks[] = {{.pid = 1, .tid = 1, .comm = "load"},
                                       {.pid = 4, .tid = 4, .comm = "worker", .time = TASK_NS}};
static bool frozen;
static uint64_t now;
static uint64_t blocks;     /* number of blocks written */
static void (*run)(void *); /* the thread's function; NULL: no thread */
static jmp_buf asleep;      /* jumped to when the thread sleeps */

static bool cut_told; /* the console reported that the port's stream is cut off */

static void read_console(struct sink *from, const char *bytes, size_t length)
{
    static const char cut[] = "recording: the stream at its port was cut off here";

    (void)from;
    cut_told |= length > strlen(cut) && memcmp(bytes, cut, strlen(cut)) == 0;
}

static struct sink console = {read_console};

/* The bytes sent: the counter changes together with the byte, so no crash can come between them. */
static uint8_t left[65536];
static uint64_t left_count;

static void (*meanwhile)(void); /* an interrupt while bytes are sent; NULL */

static void leave(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    if (meanwhile)
        meanwhile();
    for (size_t i = 0; i < length; i++) {
        assert_true(left_count < sizeof(left));
        left[left_count] = (uint8_t)bytes[i];
        left_count++;
    }
}

static struct sink sink = {leave};
static struct stream port;
static struct stream_packer packer;
static const uint8_t build_id[20] = {1};
static const struct stream_kernel kernel = {
    .build_id = build_id, .text = 0xffffffff80100000, .text_size = 0x3000, .arch = "x86_64"};

uint64_t arch_clock_ns(void)
{
    return now;
}

bool arch_irq_on(void)
{
    return true;
}

static void (*records_begin)(void); /* called when the readers start; NULL */

struct ring *recording_ring(unsigned cpu)
{
    if (records_begin)
        records_begin();
    return cpu < CPUS ? &rings[cpu] : NULL;
}

static bool compressed; /* whether the recording is compressed */

bool recording_compresses(void)
{
    return compressed;
}

bool recording_overwrites(void)
{
    return rings[0].mode == RING_OVERWRITE;
}

void recording_settle(void)
{
}

bool recording_frozen(void)
{
    return frozen;
}

static void rewind_nothing(struct record_source *source)
{
    (void)source;
}

static const struct perf_event_header *next_nothing(struct record_source *source)
{
    (void)source;
    return NULL;
}

struct record_source *recording_source_for_stream(void)
{
    static struct record_source source = {rewind_nothing, next_nothing, &event, 1};

    return &source;
}

size_t recording_losses(struct recorded_loss *losses, size_t most)
{
    assert_true(most >= 2);
    losses[0] = (struct recorded_loss){.cpu = 0};
    losses[1] = (struct recorded_loss){.cpu = 1, .dropped = LOST};
    return 2;
}

size_t recording_tasks(const struct recorded_task **all)
{
    *all = tasks;
    return sizeof(tasks) / sizeof(tasks[0]);
}

struct stream *stream_port(void)
{
    return &port;
}

void stream_block_write(void)
{
    blocks++;
}

void event_set_drain(uint32_t pid)
{
    assert_int_equal(pid, 9);
}

static const char *start_thread(const char *name, void (*function)(void *unused), unsigned *pid)
{
    assert_string_equal(name, "perf");
    run = function;
    *pid = 9;
    return NULL;
}

static void (*sleeping)(void); /* called while the thread that waits for the end sleeps; NULL */
static unsigned wakes;         /* of that thread */

static void wait_for(enum pitot_channel channel, int (*until)(void))
{
    while (!until()) {
        if (!sleeping || channel != PITOT_STREAM_ENDS)
            longjmp(asleep, 1);
        sleeping();
    }
}

static void wake(enum pitot_channel channel)
{
    wakes += channel == PITOT_STREAM_ENDS;
}

/* Runs the thread until it sleeps. */
static void run_thread(void)
{
    if (setjmp(asleep) == 0)
        run(NULL);
}

/* --- Records, and the stream's contents --- */

/* A sample with the fewest fields, and a number in place of a time. */
struct numbered {
    struct perf_event_header header;
    uint64_t id;
    uint64_t ids;
    uint64_t number;
};

static uint64_t numbers; /* numbers assigned so far */

static void produce(unsigned cpu, unsigned count)
{
    uint64_t time;

    for (unsigned i = 0; i < count; i++) {
        struct numbered record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(record)},
                                  .id = event.id};

        record.number = numbers++;
        ring_output(&rings[cpu], &record, sizeof(record), &time);
    }
}

static void reset(enum ring_mode mode)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(ring_init(&rings[cpu], memory[cpu], RING_SIZE, mode, false, NULL), 0);
    numbers = left_count = now = blocks = 0;
    cut_told = false;
    print_set_console(&console);
    frozen = false;
    stream_init(&port, &sink, &kernel);
    port.left = &left_count;
    stream_set_packer(&port, &packer);
    drain_start();
}

struct contents {
    unsigned seen[2048]; /* samples, by number */
    unsigned of_type[256];
    bool whole; /* its checksum is correct */
    ZSTD_DStream *decoder;
};

static const char *take_records(struct contents *contents, const uint8_t *bytes, size_t length);

/* Takes a piece of a port's one zstd stream; each piece holds complete records. */
static const char *take_compressed(struct contents *contents, const uint8_t *bytes, size_t length)
{
    static uint8_t records[ZSTD_PENDING_MAX];
    ZSTD_inBuffer in = {bytes, length, 0};
    ZSTD_outBuffer out = {records, sizeof(records), 0};

    if (ZSTD_isError(ZSTD_decompressStream(contents->decoder, &out, &in)) || in.pos != in.size)
        return "libzstd refuses a flush";
    return take_records(contents, records, out.pos);
}

static const char *take_records(struct contents *contents, const uint8_t *bytes, size_t length)
{
    const char *wrong = NULL;
    size_t at = 0;

    while (at < length && !wrong) {
        struct perf_event_header header;

        memcpy(&header, bytes + at, sizeof(header));
        if (header.size < sizeof(header) || at + header.size > length || header.type > 255)
            return "a record is torn";
        contents->of_type[header.type]++;
        if (header.type == PERF_RECORD_SAMPLE) {
            struct numbered record;

            memcpy(&record, bytes + at, sizeof(record));
            if (record.number >= numbers)
                return "a sample that nobody wrote";
            contents->seen[record.number]++;
        } else if (header.type == PERF_PIPE_COMPRESSED) {
            wrong = take_compressed(contents, bytes + at + sizeof(header),
                                    header.size - sizeof(header));
        }
        at += header.size;
    }
    return wrong;
}

static const char *take_apart(struct contents *contents)
{
    const size_t at = sizeof(struct perf_pipe_header);
    const char *wrong;

    memset(contents, 0, sizeof(*contents));
    contents->decoder = ZSTD_createDStream();
    wrong = left_count > at ? take_records(contents, left + at, left_count - at) : NULL;
    ZSTD_freeDStream(contents->decoder);
    if (wrong)
        return wrong;
    contents->whole = left_count && crc32_update(0, left, left_count) == PERF_PIPE_CRC32_WHOLE;
    return NULL;
}

static const char *each_once(const struct contents *contents)
{
    for (uint64_t i = 0; i < numbers; i++)
        if (contents->seen[i] != 1)
            return contents->seen[i] ? "a record is there twice" : "a record is missing";
    return NULL;
}

static void assert_all_there(void)
{
    struct contents contents;

    assert_null(take_apart(&contents));
    assert_null(each_once(&contents));
    assert_true(contents.whole);
    assert_int_equal(contents.of_type[PERF_RECORD_COMM], 2);
    assert_int_equal(contents.of_type[PERF_RECORD_LOST], 1);
}

static unsigned samples_there(void)
{
    struct contents contents;

    assert_null(take_apart(&contents));
    return contents.of_type[PERF_RECORD_SAMPLE];
}

/* --- Tests --- */

/* Runs first, while there is no thread. */
static void without_a_thread_a_recording_leaves_at_its_end(void **state)
{
    (void)state;
    reset(RING_NORMAL);
    produce(0, 3);
    produce(1, 2);
    drain_tick();
    assert_int_equal(left_count, 0);
    drain_finish(NULL);
    assert_all_there();
}

static const char *judge_crash(void)
{
    struct contents contents;
    const char *wrong;

    if (blocks && !cut_told)
        return "nothing says that the port's stream is cut off";
    if (blocks)
        return blocks == 1 ? NULL : "more than one block";
    if (cut_told)
        return "a stream that is whole is called cut off";
    wrong = take_apart(&contents);
    if (!wrong)
        wrong = each_once(&contents);
    if (!wrong && !contents.whole)
        wrong = "the checksum is wrong";
    if (!wrong && contents.of_type[PERF_RECORD_LOST] != 1)
        wrong = "the losses are not told once";
    if (!wrong && contents.of_type[PERF_RECORD_COMM] < 2)
        wrong = "a task is not named";
    if (!wrong && contents.of_type[PERF_PIPE_EVENT_TYPE] != 1)
        wrong = "not one checksum";
    return wrong;
}

/* Panics; the interrupted code does not continue. */
static void crash_here(void)
{
    const char *wrong;

    drain_crash();
    wrong = judge_crash();
    if (wrong) {
        dprintf(STDERR_FILENO, "# at byte %llu: %s\n", (unsigned long long)left_count, wrong);
        _exit(1);
    }
    _exit(0);
}

static const char *never_asked(void)
{
    return "a crashed machine went on";
}

static void hand_over(void)
{
    step_on();
    drain_finish(NULL);
    step_off();
}

static void hand_over_records(void)
{
    records_begin = step_on;
    drain_finish(NULL);
    step_off();
    records_begin = NULL;
}

static void crash_at_every(unsigned stride, void (*victim)(void))
{
    const struct step_plan plan = {
        .victim = victim, .intrude = crash_here, .verdict = never_asked, .stride = stride};
    struct step_result result;

    reset(RING_NORMAL);
    produce(0, 2);
    produce(1, 1);
    result = step_through(&plan);
    print_message("%u crashes\n", result.boundaries);
    assert_true(result.boundaries > 100);
    assert_int_equal(result.wrong, 0);
    assert_all_there(); /* the run that was not interrupted */
}

/* The header is long, and its places are alike, so only some are tried. */
static void a_panic_anywhere_loses_no_record(void **state)
{
    (void)state;
    crash_at_every(getenv("SOAK") ? 97 : 499, hand_over);
}

static void a_panic_at_any_instruction_after_the_head_loses_no_record(void **state)
{
    (void)state;
    crash_at_every(getenv("SOAK") ? 1 : 37, hand_over_records);
}

/* Also in the encoder, in a flush that is sent, and between the two. */
static void a_panic_at_any_instruction_of_a_compressed_one_loses_no_record(void **state)
{
    (void)state;
    compressed = true;
    crash_at_every(getenv("SOAK") ? 1 : 101, hand_over_records);
    assert_true(packer.zstd.flushed > 0);
    compressed = false;
}

static void make_thread(void)
{
    host.thread_start = start_thread;
    host.wait = wait_for;
    host.wake = wake;
    drain_init();
    assert_non_null(run);
}

/* drain_finish only wakes the thread; the test runs it. */
static void finish(void)
{
    if (setjmp(asleep) == 0)
        drain_finish(NULL);
    run_thread();
}

static void a_quarter_of_a_ring_begins_the_stream_and_a_little_waits(void **state)
{
    const unsigned quarter = RING_SIZE / 4 / sizeof(struct numbered);

    (void)state;
    make_thread();
    reset(RING_NORMAL);
    produce(0, quarter);
    drain_tick();
    run_thread();
    assert_int_equal(left_count, 0);
    produce(0, 1);
    drain_tick();
    run_thread();
    assert_int_equal(samples_there(), quarter + 1);
    finish();
    assert_all_there();
}

static void a_second_begins_it_as_well_and_then_it_continues_at_once(void **state)
{
    (void)state;
    reset(RING_NORMAL);
    produce(1, 1);
    now = SECOND - 1;
    drain_tick();
    run_thread();
    assert_int_equal(left_count, 0);
    now = SECOND;
    drain_tick();
    run_thread();
    assert_int_equal(samples_there(), 1);
    produce(0, 1);
    drain_tick();
    run_thread();
    assert_int_equal(samples_there(), 1); /* the thread pauses */
    now += SECOND / 10;
    drain_tick();
    run_thread();
    assert_int_equal(samples_there(), 2);
    now += SECOND;
    drain_tick(); /* nothing new, so the waiter is not woken */
    run_thread();
    finish();
    assert_all_there();
}

/* Sent records stay readable here as long as an eighth of the ring is free. */
static void records_are_given_back_only_when_there_is_need(void **state)
{
    const unsigned most = RING_SIZE / 8 * 7 / sizeof(struct numbered);

    (void)state;
    reset(RING_NORMAL);
    produce(0, most);
    drain_tick();
    run_thread();
    assert_int_equal(samples_there(), most);
    assert_int_equal(drain_given_back(), 0);
    assert_int_equal(rings[0].tail, 0);
    produce(0, 1);
    now += SECOND;
    drain_tick();
    run_thread();
    assert_true(drain_given_back() > 0);
    assert_true(rings[0].tail > 0);
    for (int i = 0; i < 30; i++) { /* more than the ring holds at once */
        produce(0, RING_SIZE / 8 / sizeof(struct numbered));
        now += SECOND;
        drain_tick();
        run_thread();
    }
    assert_int_equal(rings[0].dropped, 0);
    finish();
    assert_all_there();
}

/* If sent records nearly fill the ring, writers lack room, even if few records are unsent. */
static void a_slow_writer_loses_nothing_to_what_has_left(void **state)
{
    (void)state;
    reset(RING_NORMAL);
    for (int i = 0; i < 100; i++) { /* a tick each; the interval for few records never elapses */
        produce(0, i < 3 ? RING_SIZE / 4 / sizeof(struct numbered) + 3 : 10);
        drain_tick();
        run_thread();
    }
    assert_int_equal(rings[0].dropped, 0);
    finish();
    assert_all_there();
}

static void overwriting_rings_wait_for_the_end_or_the_trigger(void **state)
{
    const unsigned most = RING_SIZE / sizeof(struct numbered);

    (void)state;
    reset(RING_OVERWRITE);
    produce(0, most - 1);
    now = 10 * SECOND;
    drain_tick();
    run_thread();
    assert_int_equal(left_count, 0);
    frozen = true;
    drain_tick();
    run_thread();
    assert_all_there(); /* while the workload still runs */
    finish();           /* nothing left to do */
    assert_all_there();
}

/* The tick wakes the waiter until everything has been sent: its last call finds none. */
static void a_late_call_does_not_end_the_next_recording(void **state)
{
    (void)state;
    reset(RING_OVERWRITE);
    produce(0, 1);
    frozen = true;
    drain_tick();
    meanwhile = drain_tick;
    run_thread();
    meanwhile = NULL;
    assert_all_there();
    reset(RING_NORMAL);
    produce(0, 1);
    run_thread();
    assert_int_equal(left_count, 0);
    finish();
    assert_all_there();
}

static unsigned long told[8][2]; /* done and total, at each call */
static unsigned tellings;

static void tell(unsigned long done, unsigned long total)
{
    assert_true(tellings < 8);
    told[tellings][0] = done;
    told[tellings++][1] = total;
}

/* Two ticks come while the port is still slow, then everything is sent. */
static void sleep_three_times(void)
{
    static unsigned sleeps;

    if (sleeps++ % 3 == 2) {
        run_thread();
        return;
    }
    now += SECOND - 1;
    wakes = 0;
    drain_tick();
    assert_int_equal(wakes, 0);
    now++;
    drain_tick();
    assert_int_equal(wakes, 1);
}

static void the_end_is_told_each_second_how_far_it_is(void **state)
{
    const unsigned long bytes = 5 * sizeof(struct numbered);

    (void)state;
    reset(RING_NORMAL);
    produce(0, 3);
    produce(1, 2);
    sleeping = sleep_three_times;
    drain_finish(tell);
    sleeping = NULL;
    assert_all_there();
    assert_int_equal(tellings, 2);
    for (unsigned i = 0; i < tellings; i++) {
        assert_int_equal(told[i][0], 0);
        assert_int_equal(told[i][1], bytes);
    }
    wakes = 0;
    now += 10 * SECOND;
    drain_tick(); /* no waiter is left */
    assert_int_equal(wakes, 0);
}

static void a_panic_with_nothing_to_hand_over_says_nothing(void **state)
{
    (void)state;
    reset(RING_NORMAL);
    produce(0, 1);
    finish();
    left_count = 0;
    drain_crash();
    assert_int_equal(left_count, 0);
    assert_int_equal(blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_thread_a_recording_leaves_at_its_end),
        cmocka_unit_test(a_panic_anywhere_loses_no_record),
        cmocka_unit_test(a_panic_at_any_instruction_after_the_head_loses_no_record),
        cmocka_unit_test(a_panic_at_any_instruction_of_a_compressed_one_loses_no_record),
        cmocka_unit_test(a_quarter_of_a_ring_begins_the_stream_and_a_little_waits),
        cmocka_unit_test(a_second_begins_it_as_well_and_then_it_continues_at_once),
        cmocka_unit_test(records_are_given_back_only_when_there_is_need),
        cmocka_unit_test(a_slow_writer_loses_nothing_to_what_has_left),
        cmocka_unit_test(overwriting_rings_wait_for_the_end_or_the_trigger),
        cmocka_unit_test(a_late_call_does_not_end_the_next_recording),
        cmocka_unit_test(the_end_is_told_each_second_how_far_it_is),
        cmocka_unit_test(a_panic_with_nothing_to_hand_over_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
