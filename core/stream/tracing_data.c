/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of TRACING_DATA; see stage.h, and for the format core/abi/perf_pipe.h. */
#include "core/stream/stage.h"

#include "arch/memory.h"
#include "core/abi/perf_pipe.h"
#include "core/lib/string.h"
#include "core/sample/records.h"
#include "core/tracepoint/format.h"

static const char magic[] = TRACING_DATA_MAGIC, header_page[] = TRACING_DATA_HEADER_PAGE;

/* perf reads and ignores this; its length pads the whole to a multiple of 8. */
static const char header_event[] = "\n\n\n\n\n\n\n\n";

/* Counts bytes, and forwards them if there is a sink. */
struct counter {
    struct sink sink;
    struct sink *to;
    size_t bytes;
};

static void counter_write(struct sink *sink, const char *bytes, size_t length)
{
    struct counter *counter = (struct counter *)sink;

    if (counter->to)
        counter->to->write(counter->to, bytes, length);
    counter->bytes += length;
}

static void put(struct counter *counter, const void *bytes, size_t length)
{
    counter_write(&counter->sink, bytes, length);
}

static void put_u32(struct counter *counter, uint32_t value)
{
    put(counter, &value, sizeof(value));
}

static void put_u64(struct counter *counter, uint64_t value)
{
    put(counter, &value, sizeof(value));
}

/* Writes the name including its NUL. */
static void put_name(struct counter *counter, const char *name)
{
    put(counter, name, strlen(name) + 1);
}

static bool has_record(const struct recorded_event *event)
{
    return event->attr.type == PERF_TYPE_TRACEPOINT && (event->attr.sample_type & PERF_SAMPLE_RAW);
}

bool tracing_data_needed(const struct record_source *source)
{
    for (size_t i = 0; i < source->event_count; i++)
        if (has_record(&source->events[i]))
            return true;
    return false;
}

/* Returns the event's tracepoint; NULL if it needs no description, or an earlier event gives it. */
static const struct pitot_tracepoint *tracepoint_of(const struct record_source *source,
                                                    size_t index)
{
    const struct recorded_event *event = &source->events[index];

    if (!has_record(event))
        return NULL;
    for (size_t i = 0; i < index; i++)
        if (has_record(&source->events[i]) && source->events[i].attr.config == event->attr.config)
            return NULL;
    return tracepoint_by_id(event->attr.config);
}

/* Set by tracing_data_prepare. Task context, one user at a time. */
static struct format_names names;
static size_t padding;

/* Collects the functions that occur in the samples' fields, for the body to name. */
static void collect_names(struct record_source *source)
{
    const struct perf_event_header *record;
    struct sample_view view;

    names.count = 0;
    source->rewind(source);
    while ((record = source->next(source)) != NULL) {
        if (!sample_view_parse(record, source->events, source->event_count, &view) || !view.raw)
            continue;
        const struct pitot_tracepoint *tracepoint = tracepoint_by_id(view.event->attr.config);
        if (tracepoint)
            format_names_add(&names, tracepoint, view.raw, view.raw_size);
    }
}

/* Writes one system per event; the same system may occur more than once. */
static void put_events(struct counter *counter, const struct record_source *source)
{
    uint32_t count = 0;

    for (size_t i = 0; i < source->event_count; i++)
        count += tracepoint_of(source, i) != NULL;
    put_u32(counter, count);
    for (size_t i = 0; i < source->event_count; i++) {
        const struct pitot_tracepoint *tracepoint = tracepoint_of(source, i);
        struct counter size = {.sink = {counter_write}};

        if (!tracepoint)
            continue;
        put(counter, tracepoint->full_name,
            (size_t)(strchr(tracepoint->full_name, ':') - tracepoint->full_name));
        put(counter, "", 1);
        put_u32(counter, 1);
        tracepoint_format_print(&size.sink, tracepoint, &names);
        put_u64(counter, size.bytes);
        tracepoint_format_print(&counter->sink, tracepoint, &names);
    }
}

static size_t write_all(struct sink *sink, const struct record_source *source, size_t event_length)
{
    static const uint8_t little_endian = 0, long_size = sizeof(long);
    struct counter counter = {.sink = {counter_write}, .to = sink};

    put(&counter, magic, sizeof(magic));
    put(&counter, &little_endian, 1);
    put(&counter, &long_size, 1);
    put_u32(&counter, PAGE_SIZE);
    put_name(&counter, "header_page");
    put_u64(&counter, strlen(header_page));
    put(&counter, header_page, strlen(header_page));
    put_name(&counter, "header_event");
    put_u64(&counter, event_length);
    put(&counter, header_event, event_length);
    put_u32(&counter, 0); /* ftrace's own events */
    put_events(&counter, source);
    put_u32(&counter, 0); /* symbols: perf takes them from the image */
    put_u32(&counter, 0); /* printk formats */
    put_u64(&counter, 0); /* tasks: COMM records name them */
    return counter.bytes;
}

size_t tracing_data_prepare(struct record_source *source, bool more)
{
    size_t shortest;

    collect_names(source);
    names.functions = more;
    shortest = write_all(NULL, source, 1);
    padding = (8 - shortest % 8) % 8;
    return shortest + padding;
}

void tracing_data_write(struct sink *sink, const struct record_source *source)
{
    write_all(sink, source, 1 + padding);
}
