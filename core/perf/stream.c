/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes recordings in perf's pipe format (core/abi/perf_pipe.h), record after record straight into
 * the sink: nothing is buffered, every size is known before the first byte. docs/stream.md gives
 * the order and what perf does without each record. Called by the console's `perf record` once the
 * events are off, in task context; the sink may be slow.
 */
#include "core/perf/stream.h"

#include "core/abi/perf_pipe.h"
#include "core/assert.h"
#include "core/perf/crc32.h"
#include "core/perf/tracing_data.h"
#include "core/string.h"

/* The kernel as perf knows it: the dso, and its map, whose name ends in the symbol that its pgoff
 * is the address of. */
static const char kernel_dso[] = "[kernel.kallsyms]";
static const char kernel_map[] = "[kernel.kallsyms]_text";

/* What the trailer of a record says, as far as the event's sample_type asks for it. */
struct origin {
    uint32_t pid, tid;
    uint64_t time; /* 0: no time of its own, perf takes it at once instead of sorting it in */
    uint32_t cpu;
};

static size_t round_up_to_8(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static void put(struct stream *stream, const void *bytes, size_t length)
{
    stream->crc = crc32_update(stream->crc, bytes, length);
    stream->bytes += length;
    stream->sink->write(stream->sink, bytes, length);
}

static void put_u64(struct stream *stream, uint64_t value)
{
    put(stream, &value, sizeof(value));
}

static void put_u32_pair(struct stream *stream, uint32_t first, uint32_t second)
{
    const uint32_t pair[2] = {first, second};

    put(stream, pair, sizeof(pair));
}

/* The text, its NUL, and zeroes up to `room` bytes in all. */
static void put_text(struct stream *stream, const char *text, size_t room)
{
    static const uint8_t zeroes[8];
    size_t length = strlen(text);

    put(stream, text, length);
    for (room -= length; room > sizeof(zeroes); room -= sizeof(zeroes)) {
        put(stream, zeroes, sizeof(zeroes));
    }
    put(stream, zeroes, room);
}

static struct perf_event_header header_of(uint32_t type, unsigned misc, size_t size)
{
    return (struct perf_event_header){.type = type, .misc = (uint16_t)misc, .size = (uint16_t)size};
}

static void put_header(struct stream *stream, uint32_t type, unsigned misc, size_t size)
{
    const struct perf_event_header header = header_of(type, misc, size);

    put(stream, &header, sizeof(header));
}

/* The fields of `struct sample_id` in <linux/perf_event.h>, each of 8 bytes. */
static size_t trailer_size(const struct recorded_event *event)
{
    const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                            PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    size_t size = 0;

    for (uint64_t left = event->attr.sample_type & fields; left != 0; left &= left - 1) {
        size += sizeof(uint64_t);
    }
    return size;
}

/* Ends every record but samples and perf's own: what sample_id_all promises, in the order of
 * `struct sample_id`. */
static void put_trailer(struct stream *stream, const struct recorded_event *event,
                        const struct origin *origin)
{
    uint64_t fields = event->attr.sample_type;

    if (fields & PERF_SAMPLE_TID) {
        put_u32_pair(stream, origin->pid, origin->tid);
    }
    if (fields & PERF_SAMPLE_TIME) {
        put_u64(stream, origin->time);
    }
    if (fields & PERF_SAMPLE_ID) {
        put_u64(stream, event->id);
    }
    if (fields & PERF_SAMPLE_STREAM_ID) {
        put_u64(stream, event->id);
    }
    if (fields & PERF_SAMPLE_CPU) {
        put_u32_pair(stream, origin->cpu, 0);
    }
    if (fields & PERF_SAMPLE_IDENTIFIER) {
        put_u64(stream, event->id);
    }
}

static void put_arch(struct stream *stream, const char *arch)
{
    struct perf_pipe_feature feature;
    size_t start = __builtin_offsetof(struct perf_pipe_feature, length) + sizeof(feature.length);
    size_t size = round_up_to_8(start + strlen(arch) + 1);

    feature.header = header_of(PERF_PIPE_FEATURE, 0, size);
    feature.feature = PERF_PIPE_FEATURE_ARCH;
    feature.length = (uint32_t)(size - start);
    put(stream, &feature, start);
    put_text(stream, arch, size - start);
}

static void put_attr(struct stream *stream, const struct recorded_event *event)
{
    struct perf_pipe_attr record;
    struct perf_event_attr attr = event->attr;

    assert(attr.sample_type & PERF_SAMPLE_IDENTIFIER);
    attr.size = PERF_PIPE_ATTR_SIZE;
    attr.sample_id_all = 1;
    record.header = header_of(PERF_PIPE_ATTR, 0, sizeof(record));
    memcpy(record.attr, &attr, sizeof(record.attr));
    record.id = event->id;
    put(stream, &record, sizeof(record));
}

static void put_name(struct stream *stream, const struct recorded_event *event)
{
    struct perf_pipe_event_update update;
    size_t room = round_up_to_8(strlen(event->name) + 1);

    update.header = header_of(PERF_PIPE_EVENT_UPDATE, 0, sizeof(update) + room);
    update.type = PERF_PIPE_UPDATE_NAME;
    update.id = event->id;
    put(stream, &update, sizeof(update));
    put_text(stream, event->name, room);
}

/* A sink that leads into the stream. */
struct stream_sink {
    struct sink sink;
    struct stream *stream;
};

static void stream_sink_write(struct sink *sink, const char *bytes, size_t length)
{
    put(((struct stream_sink *)sink)->stream, bytes, length);
}

/*
 * Behind the attributes, as perf gives each event that it knows its description then, and before
 * the samples. perf never sets back the count of bytes that it compares the size with: the
 * size is that of all descriptions so far.
 */
static void put_tracing_data(struct stream *stream, struct record_source *source)
{
    struct stream_sink into = {{stream_sink_write}, stream};
    struct perf_pipe_tracing_data record;

    if (!tracing_data_needed(source))
        return;
    record.header = header_of(PERF_PIPE_TRACING_DATA, 0, sizeof(record));
    stream->described += tracing_data_write(NULL, source);
    record.size = (uint32_t)stream->described;
    put(stream, &record, sizeof(record));
    tracing_data_write(&into.sink, source);
}

static void put_build_id(struct stream *stream)
{
    struct perf_pipe_build_id record = {.pid = -1, .size = PERF_PIPE_BUILD_ID_SIZE};
    size_t size = round_up_to_8(sizeof(record) + sizeof(kernel_dso));

    record.header =
        header_of(PERF_PIPE_BUILD_ID, PERF_RECORD_MISC_KERNEL | PERF_PIPE_MISC_BUILD_ID_SIZE, size);
    memcpy(record.build_id, stream->kernel->build_id, sizeof(record.build_id));
    put(stream, &record, sizeof(record));
    put_text(stream, kernel_dso, size - sizeof(record));
}

static void put_kernel_map(struct stream *stream, const struct recorded_event *event)
{
    const struct origin boot = {.pid = (uint32_t)-1};
    size_t room = round_up_to_8(sizeof(kernel_map));
    size_t size = sizeof(struct perf_event_header) + 4 * sizeof(uint64_t) + room;

    put_header(stream, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, size + trailer_size(event));
    put_u32_pair(stream, boot.pid, boot.tid);
    put_u64(stream, stream->kernel->text);
    put_u64(stream, stream->kernel->text_size);
    put_u64(stream,
            stream->kernel->text); /* pgoff: where _text runs, which perf holds against the ELF's */
    put_text(stream, kernel_map, room);
    put_trailer(stream, event, &boot);
}

/* Its time lies between the recordings: a task id that comes again, under another name, must not
 * rename older samples. */
static void put_comm(struct stream *stream, const struct recorded_event *event,
                     const struct stream_task *task)
{
    const struct origin origin = {.pid = task->pid, .tid = task->tid, .time = stream->closed};
    size_t room = round_up_to_8(strlen(task->comm) + 1);
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + room;

    put_header(stream, PERF_RECORD_COMM, 0, size + trailer_size(event));
    put_u32_pair(stream, task->pid, task->tid);
    put_text(stream, task->comm, room);
    put_trailer(stream, event, &origin);
}

/* perf counts LOST records as well as what they say, so nothing lost must stay unsaid. */
static void put_loss(struct stream *stream, const struct recorded_event *event,
                     const struct stream_loss *loss, uint64_t time)
{
    const struct origin origin = {.time = time, .cpu = loss->cpu};
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + trailer_size(event);

    if (loss->dropped != 0) {
        put_header(stream, PERF_RECORD_LOST, 0, size + sizeof(uint64_t));
        put_u64(stream, event->id);
        put_u64(stream, loss->dropped);
        put_trailer(stream, event, &origin);
    }
    if (loss->overwritten != 0) {
        put_header(stream, PERF_RECORD_LOST_SAMPLES, 0, size);
        put_u64(stream, loss->overwritten);
        put_trailer(stream, event, &origin);
    }
}

/* perf now sorts and delivers what came before the previous one. */
static void put_finished_round(struct stream *stream)
{
    put_header(stream, PERF_PIPE_FINISHED_ROUND, 0, sizeof(struct perf_event_header));
}

static void put_checksum(struct stream *stream)
{
    const uint32_t zero = 0;

    put_header(stream, PERF_PIPE_EVENT_TYPE, 0, sizeof(struct perf_pipe_checksum));
    put(stream, &zero, sizeof(zero));
    const uint32_t crc = stream->crc; /* of all up to here */
    put(stream, &crc, sizeof(crc));
}

/* What stands at the head of the stream, once: all that does not need an event to be understood. */
static void open_stream(struct stream *stream)
{
    const struct perf_pipe_header header = {.magic = PERF_PIPE_MAGIC, .size = sizeof(header)};

    put(stream, &header, sizeof(header));
    put_build_id(stream);
}

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel)
{
    *stream = (struct stream){.sink = sink, .kernel = kernel};
}

void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct stream_task *tasks, size_t task_count,
                            const struct stream_loss *losses, size_t loss_count, uint64_t time)
{
    /* Records that belong to no event in particular are read by the sample_type of the first. */
    const struct recorded_event *first = &source->events[0];
    const struct perf_event_header *record;

    if (!stream->opened) {
        open_stream(stream);
    }
    for (size_t i = 0; i < source->event_count; i++) {
        put_attr(stream, &source->events[i]);
        put_name(stream, &source->events[i]);
    }
    put_tracing_data(stream, source);
    if (!stream->opened) {
        /* `perf evlist` takes the first feature for the end of the attributes. */
        if (stream->kernel->arch != NULL) {
            put_arch(stream, stream->kernel->arch);
        }
        put_kernel_map(stream, first);
        stream->opened = true;
    }
    for (size_t i = 0; i < task_count; i++) {
        put_comm(stream, first, &tasks[i]);
    }
    source->rewind(source);
    while ((record = source->next(source)) != NULL) {
        put(stream, record, record->size);
    }
    put_finished_round(stream);
    for (size_t i = 0; i < loss_count; i++) {
        put_loss(stream, first, &losses[i], time);
    }
    put_finished_round(stream);
    put_checksum(stream);
    stream->closed = time;
}
