/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The description of tracepoints for perf. libFuzzer's bytes become events, tracepoints with fields
 * of all kinds, and samples with records, which core/stream/tracing_data.c describes. A simple
 * reader parses the description. libtraceevent, perf's library, parses each tracepoint, finds the
 * fields at their offsets, and prints each record as the console does. Run by tests/host/fuzz.t
 * (docs/proof.md).
 *
 * links: core/tracepoint/format.c core/stream/tracing_data.c core/sample/view.c core/lib/print.c tests/fuzz/feed.c tests/fuzz/made_tracepoint.c tests/unit/fake_preempt.c tests/unit/fake_cpu.c core/host.c
 * libs: -ltraceevent
 */
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "arch/memory.h"
#include "core/sample/records.h"
#include "core/stream/stage.h"
#include "core/tracepoint/format.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/made_tracepoint.h"

#define EVENTS_MOST  3
#define SAMPLES_MOST 5
#define SAMPLE_MOST  (32 + TRACEPOINT_RECORD_MAX)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct made_tracepoint made[EVENTS_MOST];

struct pitot_tracepoint *tracepoint_by_id(uint64_t id)
{
    return id > 0 && id <= EVENTS_MOST ? &made[id - 1].tracepoint : NULL;
}

uint16_t tracepoint_id(const struct pitot_tracepoint *tracepoint)
{
    return tracepoint->id;
}

/* --- A recording. --- */

struct recorded {
    struct record_source source;
    struct recorded_event events[EVENTS_MOST];
    _Alignas(8) char samples[SAMPLES_MOST][SAMPLE_MOST];
    unsigned count, next;
};

static void recorded_rewind(struct record_source *source)
{
    ((struct recorded *)source)->next = 0;
}

static const struct perf_event_header *recorded_next(struct record_source *source)
{
    struct recorded *recorded = (struct recorded *)source;

    if (recorded->next == recorded->count)
        return NULL;
    return (const struct perf_event_header *)recorded->samples[recorded->next++];
}

/* Makes tracepoints, sometimes several events of one, with records or without, and a breakpoint. */
static void feed_events(struct recorded *recorded, struct feed *feed)
{
    size_t count = 1 + feed_byte(feed) % EVENTS_MOST;

    recorded->source = (struct record_source){.rewind = recorded_rewind,
                                              .next = recorded_next,
                                              .events = recorded->events,
                                              .event_count = count};
    for (unsigned i = 0; i < EVENTS_MOST; i++) {
        uint8_t choice = feed_byte(feed);
        struct recorded_event *event = &recorded->events[i];

        made_tracepoint_feed(&made[i], i, feed);
        *event = (struct recorded_event){.id = 100 + i};
        event->attr.type = choice >= 0xf0 ? PERF_TYPE_BREAKPOINT : PERF_TYPE_TRACEPOINT;
        event->attr.config = 1 + (choice & 0x80 ? choice % EVENTS_MOST : i);
        event->attr.sample_type = PERF_SAMPLE_IDENTIFIER;
        if (event->attr.type == PERF_TYPE_TRACEPOINT && choice % 8 != 7)
            event->attr.sample_type |= PERF_SAMPLE_RAW;
    }
}

static void feed_sample(struct recorded *recorded, struct feed *feed)
{
    char *sample = recorded->samples[recorded->count++];
    size_t index = feed_byte(feed) % recorded->source.event_count;
    const struct recorded_event *event = &recorded->events[index];
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(header) + 8};

    memcpy(sample + sizeof(header), &event->id, sizeof(event->id));
    if (event->attr.sample_type & PERF_SAMPLE_RAW) {
        struct made_record record;
        size_t bytes;

        made_record_feed(&record, &made[event->attr.config - 1], feed);
        bytes = sizeof(record.raw->size) + record.raw->size;
        memcpy(sample + header.size, record.raw, bytes);
        header.size += (uint16_t)bytes;
        free(record.memory);
    }
    memcpy(sample, &header, sizeof(header));
}

/* --- The output, parsed by the description of trace.dat. --- */

struct text {
    struct sink sink;
    char bytes[32768];
    size_t length;
};

static void text_write(struct sink *sink, const char *bytes, size_t length)
{
    struct text *text = (struct text *)sink;

    CLAIM(text->length + length <= sizeof(text->bytes));
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

struct reader {
    const char *at, *end;
};

static const char *read_bytes(struct reader *reader, size_t length)
{
    const char *at = reader->at;

    CLAIM(length <= (size_t)(reader->end - at));
    reader->at += length;
    return at;
}

static uint64_t read_number(struct reader *reader, size_t size)
{
    uint64_t number = 0;

    memcpy(&number, read_bytes(reader, size), size);
    return number;
}

static const char *read_name(struct reader *reader)
{
    const char *end = memchr(reader->at, '\0', (size_t)(reader->end - reader->at));

    CLAIM(end);
    return read_bytes(reader, (size_t)(end - reader->at) + 1);
}

static void check_head(struct reader *reader, struct tep_handle *perf)
{
    unsigned long size;

    CLAIM(memcmp(read_bytes(reader, 10), "\x17\x08\x44tracing", 10) == 0);
    CLAIM(strcmp(read_name(reader), "0.6") == 0);
    CLAIM(read_number(reader, 1) == 0 && read_number(reader, 1) == sizeof(long));
    CLAIM(read_number(reader, 4) == PAGE_SIZE);
    CLAIM(strcmp(read_name(reader), "header_page") == 0);
    size = read_number(reader, 8);
    CLAIM(size > 0);
    CLAIM(tep_parse_header_page(perf, (char *)read_bytes(reader, size), size, sizeof(long)) == 0);
    CLAIM(tep_get_header_page_size(perf) == sizeof(long));
    CLAIM(strcmp(read_name(reader), "header_event") == 0);
    size = read_number(reader, 8);
    CLAIM(size > 0);
    read_bytes(reader, size);
    CLAIM(read_number(reader, 4) == 0);
}

static void check_fields(const struct pitot_tracepoint *tracepoint, struct tep_event *event)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        const struct pitot_field *field = &tracepoint->field[i];
        const struct tep_format_field *theirs = tep_find_field(event, field->name);
        bool is_signed = field->kind == TRACEPOINT_s32 || field->kind == TRACEPOINT_s64 ||
                         field->kind == TRACEPOINT_state;
        bool is_pointer = field->kind == TRACEPOINT_pointer || field->kind == TRACEPOINT_function ||
                          field->kind == TRACEPOINT_code;

        CLAIM(theirs && theirs->offset == field->offset && theirs->size == field->size);
        CLAIM(!(theirs->flags & TEP_FIELD_IS_SIGNED) == !is_signed);
        CLAIM(!(theirs->flags & TEP_FIELD_IS_STRING) == (field->kind != TRACEPOINT_text));
        CLAIM(!(theirs->flags & TEP_FIELD_IS_POINTER) == !is_pointer);
    }
    CLAIM(tep_find_common_field(event, "common_pid")->offset == 4);
    CLAIM(tep_find_common_field(event, "common_tgid")->offset == 8);
}

/* Each tracepoint whose records were requested occurs once. */
static void check_events(struct reader *reader, struct tep_handle *perf,
                         const struct record_source *source)
{
    bool wanted[EVENTS_MOST + 1] = {false};
    unsigned count = 0;

    for (size_t i = 0; i < source->event_count; i++) {
        bool raw = source->events[i].attr.sample_type & PERF_SAMPLE_RAW;

        count += raw && !wanted[source->events[i].attr.config];
        wanted[source->events[i].attr.config] |= raw;
    }
    CLAIM(tracing_data_needed(source) == (count > 0));
    CLAIM(read_number(reader, 4) == count);
    for (unsigned i = 0; i < count; i++) {
        const char *system = read_name(reader);
        uint64_t one = read_number(reader, 4), size = read_number(reader, 8);

        CLAIM(one == 1);
        CLAIM(tep_parse_event(perf, read_bytes(reader, size), size, system) == 0);
    }
    CLAIM(tep_get_events_count(perf) == (int)count);
    for (unsigned id = 1; id <= EVENTS_MOST; id++) {
        const struct pitot_tracepoint *tracepoint = tracepoint_by_id(id);
        struct tep_event *event = tep_find_event(perf, (int)id);

        CLAIM(wanted[id] == (event != NULL));
        if (!event)
            continue;
        CLAIM(strcmp(event->name, tracepoint->name) == 0);
        CLAIM(strncmp(tracepoint->full_name, event->system, strlen(event->system)) == 0);
        check_fields(tracepoint, event);
    }
}

/* --- Records, as printed by both. --- */

static void check_line(struct tep_handle *perf, const struct sample_view *view)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_by_id(view->event->attr.config);
    static struct text ours;
    struct tep_record record = {.data = (void *)view->raw, .size = (int)view->raw_size};
    struct tep_event *event = tep_find_event_by_record(perf, &record);
    struct trace_seq theirs;

    CLAIM(event && event->id == tracepoint->id);
    ours = (struct text){.sink = {text_write}};
    tracepoint_record_print(&ours.sink, tracepoint, view->raw, view->raw_size);
    ours.bytes[ours.length] = '\0';
    trace_seq_init(&theirs);
    tep_print_event(perf, &theirs, &record, "%s", TEP_PRINT_INFO);
    trace_seq_terminate(&theirs);
    if (strcmp(ours.bytes, theirs.buffer) != 0)
        fprintf(stderr, "console \"%s\", libtraceevent \"%s\"\n", ours.bytes, theirs.buffer);
    CLAIM(strcmp(ours.bytes, theirs.buffer) == 0);
    trace_seq_destroy(&theirs);
}

static void check_lines(struct recorded *recorded, struct tep_handle *perf)
{
    const struct perf_event_header *sample;
    struct sample_view view;

    recorded_rewind(&recorded->source);
    while ((sample = recorded_next(&recorded->source)) != NULL) {
        CLAIM(sample_view_parse(sample, recorded->events, recorded->source.event_count, &view));
        if (view.raw)
            check_line(perf, &view);
    }
}

/* Turns off libtraceevent's messages: the results show its errors. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    tep_set_loglevel(TEP_LOG_NONE);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct recorded recorded;
    static struct text text;
    struct feed feed = {.bytes = bytes, .left = size};
    struct tep_handle *perf = tep_alloc();
    struct reader reader;
    size_t length;

    feed_events(&recorded, &feed);
    for (recorded.count = 0; recorded.count < SAMPLES_MOST && !feed_is_empty(&feed);)
        feed_sample(&recorded, &feed);
    text = (struct text){.sink = {text_write}};
    length = tracing_data_prepare(&recorded.source, size % 2);
    tracing_data_write(&text.sink, &recorded.source);
    CLAIM(text.length == length && length % 8 == 0);
    reader = (struct reader){text.bytes, text.bytes + text.length};
    check_head(&reader, perf);
    check_events(&reader, perf, &recorded.source);
    CLAIM(read_number(&reader, 4) == 0 && read_number(&reader, 4) == 0);
    CLAIM(read_number(&reader, 8) == 0 && reader.at == reader.end);
    check_lines(&recorded, perf);
    tep_free(perf);
    return 0;
}
