/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/stream/stream.c record by record: order, sizes, trailers, what is sent once and what each
 * time. tests/host/stream_perf.t feeds the stream to perf.
 *
 * links: tests/host/fake_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/abi/perf_pipe.h"
#include "core/abi/version.h"
#include "core/lib/assert.h"
#include "core/lib/crc32.h"
#include "core/stream/stream.h"

#define MOST_RECORDS 64
#define ALL_OF_TRAILER                                                                             \
    (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |                 \
     PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

struct captured {
    struct sink sink;
    uint8_t bytes[8192];
    size_t length;
};

static void capture(struct sink *sink, const char *bytes, size_t length)
{
    struct captured *captured = (struct captured *)sink;

    assert_true(captured->length + length <= sizeof(captured->bytes));
    memcpy(captured->bytes + captured->length, bytes, length);
    captured->length += length;
}

/* Supplies the same record `count` times. */
struct repeated {
    struct record_source source;
    const struct perf_event_header *record;
    size_t count, handed_out;
};

static void repeated_rewind(struct record_source *source)
{
    ((struct repeated *)source)->handed_out = 0;
}

static const struct perf_event_header *repeated_next(struct record_source *source)
{
    struct repeated *repeated = (struct repeated *)source;

    return repeated->handed_out++ < repeated->count ? repeated->record : NULL;
}

static const uint8_t build_id[20] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
static const struct stream_kernel kernel = {
    .build_id = build_id, .text = 0xffffffff80100000, .text_size = 0x3000, .arch = "x86_64"};
static const uint64_t sample[3] = {PERF_RECORD_SAMPLE | (uint64_t)sizeof(sample) << 48, 77, 0xabc};
static const struct recorded_task task = {.pid = 5, .tid = 6, .comm = "fs-stress"};

static struct recorded_event event_of(uint64_t id, uint64_t sample_type)
{
    return (struct recorded_event){
        .id = id, .attr.sample_type = sample_type, .name = "mem:kernel_flag:rw"};
}

struct written {
    struct captured captured;
    struct stream stream;
    const struct perf_event_header *records[MOST_RECORDS];
    size_t count;
};

static void begin(struct written *written, const struct stream_kernel *of)
{
    memset(written, 0, sizeof(*written));
    written->captured.sink.write = capture;
    stream_init(&written->stream, &written->captured.sink, of);
}

static void record(struct written *written, const struct recorded_event *events, size_t count,
                   const struct recorded_loss *losses, size_t loss_count)
{
    struct repeated repeated = {.source = {repeated_rewind, repeated_next, events, count},
                                .record = (const void *)sample,
                                .count = 2};

    stream_write_recording(&written->stream, &repeated.source, &task, 1, losses, loss_count, 1000);
}

/* Finds the beginning of every record; each must be complete and a multiple of 8 bytes. */
static void take_apart(struct written *written)
{
    size_t at = sizeof(struct perf_pipe_header);

    written->count = 0;
    while (at < written->captured.length) {
        const struct perf_event_header *header = (const void *)(written->captured.bytes + at);

        assert_true(header->size >= sizeof(*header));
        assert_int_equal(header->size % 8, 0);
        assert_true(written->count < MOST_RECORDS);
        written->records[written->count++] = header;
        at += header->size;
    }
    assert_int_equal(at, written->captured.length);
}

static const void *nth_of_type(const struct written *written, uint32_t type, size_t n)
{
    for (size_t i = 0; i < written->count; i++) {
        if (written->records[i]->type == type && n-- == 0) {
            return written->records[i];
        }
    }
    return NULL;
}

static void assert_types(const struct written *written, const uint32_t *types, size_t count)
{
    assert_int_equal(written->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(written->records[i]->type, types[i]);
    }
}

static void a_recording_goes_out_in_the_documented_order(void **state)
{
    static struct written written;
    const struct recorded_event events[2] = {event_of(10, ALL_OF_TRAILER),
                                             event_of(11, PERF_SAMPLE_IDENTIFIER)};
    const struct recorded_loss loss = {.cpu = 3, .dropped = 4, .overwritten = 9};
    const uint32_t types[] = {
        PERF_PIPE_BUILD_ID,     PERF_PIPE_ATTR,           PERF_PIPE_ATTR,
        PERF_PIPE_EVENT_UPDATE, PERF_PIPE_EVENT_UPDATE,   PERF_PIPE_FEATURE,
        PERF_PIPE_FEATURE,      PERF_RECORD_MMAP,         PERF_RECORD_COMM,
        PERF_RECORD_SAMPLE,     PERF_RECORD_SAMPLE,       PERF_PIPE_FINISHED_ROUND,
        PERF_RECORD_LOST,       PERF_RECORD_LOST_SAMPLES, PERF_PIPE_FINISHED_ROUND,
        PERF_PIPE_EVENT_TYPE,
    };

    (void)state;
    begin(&written, &kernel);
    record(&written, events, 2, &loss, 1);
    take_apart(&written);
    assert_memory_equal(written.captured.bytes, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
    assert_types(&written, types, sizeof(types) / sizeof(types[0]));
    assert_memory_equal(nth_of_type(&written, PERF_RECORD_SAMPLE, 1), sample, sizeof(sample));
}

/* Above all not the kernel map: a second one makes perf forget the symbols. */
static void a_second_recording_repeats_nothing_of_the_stream(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(10, ALL_OF_TRAILER);
    const uint32_t types[] = {
        PERF_PIPE_ATTR,           PERF_PIPE_EVENT_UPDATE, PERF_RECORD_COMM,
        PERF_RECORD_SAMPLE,       PERF_RECORD_SAMPLE,     PERF_PIPE_FINISHED_ROUND,
        PERF_PIPE_FINISHED_ROUND, PERF_PIPE_EVENT_TYPE,
    };
    size_t first;

    (void)state;
    begin(&written, &kernel);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    first = written.count;
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    memmove(written.records, written.records + first, (written.count - first) * sizeof(void *));
    written.count -= first;
    assert_types(&written, types, sizeof(types) / sizeof(types[0]));
}

static void an_event_travels_with_its_id_and_name(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(0x1234, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
    const struct perf_pipe_attr *record_of_attr;
    const struct perf_pipe_event_update *update;
    struct perf_event_attr attr;

    (void)state;
    begin(&written, &kernel);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    record_of_attr = nth_of_type(&written, PERF_PIPE_ATTR, 0);
    memcpy(&attr, record_of_attr->attr, sizeof(record_of_attr->attr));
    assert_int_equal(attr.size, PERF_PIPE_ATTR_SIZE);
    assert_int_equal(attr.sample_id_all, 1);
    assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
    assert_int_equal(record_of_attr->id, 0x1234);
    update = nth_of_type(&written, PERF_PIPE_EVENT_UPDATE, 0);
    assert_int_equal(update->id, 0x1234);
    assert_string_equal((const char *)(update + 1), "mem:kernel_flag:rw");
}

static void the_kernel_is_told_by_build_id_map_and_architecture(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(1, PERF_SAMPLE_IDENTIFIER);
    const struct perf_pipe_build_id *id;
    const struct perf_pipe_feature *feature;
    const uint64_t *map;

    (void)state;
    begin(&written, &kernel);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    id = nth_of_type(&written, PERF_PIPE_BUILD_ID, 0);
    assert_memory_equal(id->build_id, build_id, sizeof(build_id));
    assert_string_equal((const char *)(id + 1), "[kernel.kallsyms]");
    map = nth_of_type(&written, PERF_RECORD_MMAP, 0);
    assert_int_equal(map[2], kernel.text);
    assert_int_equal(map[3], kernel.text_size);
    assert_int_equal(map[4], kernel.text);
    assert_string_equal((const char *)&map[5], "[kernel.kallsyms]_text");
    feature = nth_of_type(&written, PERF_PIPE_FEATURE, 0);
    assert_int_equal(feature->feature, PERF_PIPE_FEATURE_VERSION);
    assert_string_equal((const char *)feature + 20, "pitot " PITOT_VERSION);
    feature = nth_of_type(&written, PERF_PIPE_FEATURE, 1);
    assert_int_equal(20 + feature->length, feature->header.size);
    assert_string_equal((const char *)feature + 20, "x86_64");
}

static void the_machine_is_told_by_its_cpus(void **state)
{
    static struct written written;
    const struct stream_kernel told = {.build_id = build_id,
                                       .arch = "x86_64",
                                       .cpu = "a CPU",
                                       .cpu_kind = "Maker,6,94,3",
                                       .cpus = 4,
                                       .online = 3};
    const struct recorded_event event = event_of(1, PERF_SAMPLE_IDENTIFIER);
    const struct perf_pipe_cpus *cpus;
    const struct perf_pipe_feature *name;

    (void)state;
    begin(&written, &told);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    cpus = nth_of_type(&written, PERF_PIPE_FEATURE, 2);
    assert_int_equal(cpus->feature, PERF_PIPE_FEATURE_NRCPUS);
    assert_int_equal(cpus->header.size, sizeof(*cpus));
    assert_int_equal(cpus->available, 4);
    assert_int_equal(cpus->online, 3);
    name = nth_of_type(&written, PERF_PIPE_FEATURE, 3);
    assert_int_equal(name->feature, PERF_PIPE_FEATURE_CPUDESC);
    assert_string_equal((const char *)name + 20, "a CPU");
    name = nth_of_type(&written, PERF_PIPE_FEATURE, 4);
    assert_int_equal(name->feature, PERF_PIPE_FEATURE_CPUID);
    assert_string_equal((const char *)name + 20, "Maker,6,94,3");
    assert_null(nth_of_type(&written, PERF_PIPE_FEATURE, 5));
}

static void without_an_architecture_none_is_claimed(void **state)
{
    static struct written written;
    const struct stream_kernel nameless = {.build_id = build_id};
    const struct recorded_event event = event_of(1, PERF_SAMPLE_IDENTIFIER);

    (void)state;
    begin(&written, &nameless);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    assert_null(nth_of_type(&written, PERF_PIPE_FEATURE, 1));
}

/* Every subset of the fields that a trailer may have, in the order of struct sample_id. */
static void a_trailer_has_the_fields_that_sample_type_asks_for(void **state)
{
    static struct written written;
    static const uint64_t bits[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
                                    PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
                                    PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
    static const uint64_t values[] = {0, 1000, 42, 42, 3, 42};
    const struct recorded_loss loss = {.cpu = 3, .overwritten = 9};

    (void)state;
    for (unsigned subset = 0; subset < 32; subset++) {
        uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
        struct recorded_event event;
        const uint64_t *words;
        size_t word = 2;

        for (unsigned i = 0; i < 5; i++) {
            type |= subset & 1u << i ? bits[i] : 0;
        }
        event = event_of(42, type);
        begin(&written, &kernel);
        record(&written, &event, 1, &loss, 1);
        take_apart(&written);
        words = nth_of_type(&written, PERF_RECORD_LOST_SAMPLES, 0);
        assert_int_equal(words[1], 9);
        for (unsigned i = 0; i < 6; i++) {
            if (type & bits[i]) {
                assert_int_equal(words[word++], values[i]);
            }
        }
        assert_int_equal(((const struct perf_event_header *)words)->size, word * 8);
    }
}

static void a_cpu_that_lost_nothing_says_nothing(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(1, ALL_OF_TRAILER);
    const struct recorded_loss losses[] = {{0, 0, 0}, {1, 6, 0}, {2, 0, 7}};
    const uint64_t *words;

    (void)state;
    begin(&written, &kernel);
    record(&written, &event, 1, losses, 3);
    take_apart(&written);
    words = nth_of_type(&written, PERF_RECORD_LOST, 0);
    assert_int_equal(words[1], 1);
    assert_int_equal(words[2], 6);
    assert_null(nth_of_type(&written, PERF_RECORD_LOST, 1));
    words = nth_of_type(&written, PERF_RECORD_LOST_SAMPLES, 0);
    assert_int_equal(words[1], 6); /* perf's report shows these, not those of LOST */
    words = nth_of_type(&written, PERF_RECORD_LOST_SAMPLES, 1);
    assert_int_equal(words[1], 7);
    assert_null(nth_of_type(&written, PERF_RECORD_LOST_SAMPLES, 2));
}

static void tasks_are_named_as_of_the_close_before(void **state)
{
    static struct written written;
    const struct recorded_event event =
        event_of(1, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER);
    const uint64_t *words;

    (void)state;
    begin(&written, &kernel);
    record(&written, &event, 1, NULL, 0);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    words = nth_of_type(&written, PERF_RECORD_COMM, 0);
    assert_int_equal(words[1], 5 | (uint64_t)6 << 32);
    assert_string_equal((const char *)&words[2], "fs-stress");
    assert_int_equal(words[4], 5 | (uint64_t)6 << 32);
    assert_int_equal(words[5], 0);
    words = nth_of_type(&written, PERF_RECORD_COMM, 1);
    assert_int_equal(words[5], 1000);
}

/* Both have the same layout: pid, ppid, tid, ptid, time. */
static void a_task_that_is_made_meanwhile_has_its_birth_before_its_name(void **state)
{
    static struct written written;
    static const struct recorded_task tasks[] = {
        {.pid = 5, .tid = 5, .parent = 3, .comm = "program", .time = 700},
        {.pid = 5, .tid = 5, .parent = 3, .time = 800}};
    const struct recorded_event event =
        event_of(1, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER);
    const uint32_t types[] = {
        PERF_RECORD_MMAP,         PERF_RECORD_FORK,         PERF_RECORD_COMM,    PERF_RECORD_EXIT,
        PERF_PIPE_FINISHED_ROUND, PERF_PIPE_FINISHED_ROUND, PERF_PIPE_EVENT_TYPE};
    struct repeated none = {.source = {repeated_rewind, repeated_next, &event, 1}};

    (void)state;
    begin(&written, &kernel);
    stream_write_recording(&written.stream, &none.source, tasks, 2, NULL, 0, 1000);
    take_apart(&written);
    assert_int_equal(written.count, 5 + 7); /* after build id, attribute, name, features */
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(written.records[5 + i]->type, types[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        const uint64_t *words = nth_of_type(&written, i ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);
        const struct perf_event_header *header = (const void *)words;

        assert_int_equal(header->size, 7 * sizeof(uint64_t));
        assert_int_equal(header->misc, i ? 0 : PERF_RECORD_MISC_FORK_EXEC);
        assert_int_equal(words[1], 5 | (uint64_t)3 << 32);
        assert_int_equal(words[2], 5 | (uint64_t)3 << 32);
        assert_int_equal(words[3], 700 + 100 * i);
        assert_int_equal(words[5], 700 + 100 * i); /* the trailer's */
    }
}

static void the_crc_is_that_of_a_whole_stream_after_each_recording(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(1, ALL_OF_TRAILER);

    (void)state;
    begin(&written, &kernel);
    for (int i = 0; i < 3; i++) {
        record(&written, &event, 1, NULL, 0);
        assert_int_equal(written.stream.bytes, written.captured.length);
        assert_int_equal(crc32_update(0, written.captured.bytes, written.captured.length),
                         PERF_PIPE_CRC32_WHOLE);
    }
}

/* perf's struct: header, id, and a name of 64 bytes. perf 7.2 warns of a shorter one. */
static void the_crc_is_in_a_record_as_long_as_perf_s(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(1, ALL_OF_TRAILER);
    const struct perf_event_header *checksum;

    (void)state;
    begin(&written, &kernel);
    record(&written, &event, 1, NULL, 0);
    take_apart(&written);
    checksum = nth_of_type(&written, PERF_PIPE_EVENT_TYPE, 0);
    assert_int_equal(checksum->size, 8 + 8 + 64);
}

/* Names of any length, so that their NUL and padding are at every position. */
static void names_of_every_length_keep_their_nul(void **state)
{
    static struct written written;
    struct recorded_event event = event_of(1, PERF_SAMPLE_IDENTIFIER);

    (void)state;
    for (size_t length = 0; length < EVENT_NAME_SIZE; length++) {
        const char *name;

        memset(event.name, 'n', length);
        event.name[length] = '\0';
        begin(&written, &kernel);
        record(&written, &event, 1, NULL, 0);
        take_apart(&written);
        name = (const char *)nth_of_type(&written, PERF_PIPE_EVENT_UPDATE, 0) + 24;
        assert_string_equal(name, event.name);
    }
}

static void an_event_without_identifier_is_a_broken_invariant(void **state)
{
    static struct written written;
    const struct recorded_event event = event_of(1, PERF_SAMPLE_IP);

    (void)state;
    begin(&written, &kernel);
    expect_assert_failure(record(&written, &event, 1, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_goes_out_in_the_documented_order),
        cmocka_unit_test(a_second_recording_repeats_nothing_of_the_stream),
        cmocka_unit_test(an_event_travels_with_its_id_and_name),
        cmocka_unit_test(the_kernel_is_told_by_build_id_map_and_architecture),
        cmocka_unit_test(the_machine_is_told_by_its_cpus),
        cmocka_unit_test(without_an_architecture_none_is_claimed),
        cmocka_unit_test(a_trailer_has_the_fields_that_sample_type_asks_for),
        cmocka_unit_test(a_task_that_is_made_meanwhile_has_its_birth_before_its_name),
        cmocka_unit_test(a_cpu_that_lost_nothing_says_nothing),
        cmocka_unit_test(tasks_are_named_as_of_the_close_before),
        cmocka_unit_test(the_crc_is_that_of_a_whole_stream_after_each_recording),
        cmocka_unit_test(the_crc_is_in_a_record_as_long_as_perf_s),
        cmocka_unit_test(names_of_every_length_keep_their_nul),
        cmocka_unit_test(an_event_without_identifier_is_a_broken_invariant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
