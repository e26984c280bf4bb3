/* SPDX-License-Identifier: BSD-2-Clause */
/* The head's records of stage.h. */
#include "core/stream/stage.h"

#include "core/abi/perf_pipe.h"
#include "core/abi/version.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"

/* perf's name for the kernel. */
static const char kernel_dso[] = "[kernel.kallsyms]";

/* Writes a feature that is one string, unless that is NULL. */
static void put_feature(struct stream *stream, enum perf_pipe_feature_number number,
                        const char *text)
{
    struct perf_pipe_feature feature;
    size_t start = __builtin_offsetof(struct perf_pipe_feature, length) + sizeof(feature.length);
    size_t size;

    if (text == NULL)
        return;
    size = stage_round_up(start + strlen(text) + 1);
    feature.header = stage_header_of(PERF_PIPE_FEATURE, 0, size);
    feature.feature = number;
    feature.length = (uint32_t)(size - start);
    stage_bytes(stream, &feature, start);
    stage_text(stream, text, size - start);
    stage_end(stream);
}

static void put_features(struct stream *stream)
{
    const struct stream_kernel *kernel = stream->kernel;
    const struct perf_pipe_cpus cpus = {
        .header = stage_header_of(PERF_PIPE_FEATURE, 0, sizeof(cpus)),
        .feature = PERF_PIPE_FEATURE_NRCPUS,
        .available = kernel->cpus,
        .online = kernel->online,
    };

    put_feature(stream, PERF_PIPE_FEATURE_VERSION, "pitot " PITOT_VERSION);
    put_feature(stream, PERF_PIPE_FEATURE_ARCH, kernel->arch);
    if (kernel->cpus > 0)
        stream_put_record(stream, &cpus.header);
    put_feature(stream, PERF_PIPE_FEATURE_CPUDESC, kernel->cpu);
    put_feature(stream, PERF_PIPE_FEATURE_CPUID, kernel->cpu_kind);
}

void head_compression(struct stream *stream)
{
    const struct perf_pipe_compression record = {
        .header = stage_header_of(PERF_PIPE_FEATURE, 0, sizeof(record)),
        .feature = PERF_PIPE_FEATURE_COMPRESSED,
        .version = 1,
        .type = 1,
        .level = 1,
        .ratio = 1,
        .room = 2 * ZSTD_PENDING_MAX,
    };

    stream_put_record(stream, &record.header);
}

static void put_attr(struct stream *stream, const struct recorded_event *event)
{
    struct perf_pipe_attr record = {.header = stage_header_of(PERF_PIPE_ATTR, 0, sizeof(record)),
                                    .id = event->id};
    struct perf_event_attr attr = event->attr;

    assert(attr.sample_type & PERF_SAMPLE_IDENTIFIER);
    attr.size = PERF_PIPE_ATTR_SIZE;
    attr.sample_id_all = 1;
    memcpy(record.attr, &attr, sizeof(record.attr));
    stream_put_record(stream, &record.header);
}

static void put_name(struct stream *stream, const struct recorded_event *event)
{
    size_t room = stage_round_up(strlen(event->name) + 1);
    const struct perf_pipe_event_update update = {
        .header = stage_header_of(PERF_PIPE_EVENT_UPDATE, 0, sizeof(update) + room),
        .type = PERF_PIPE_UPDATE_NAME,
        .id = event->id};

    stage_bytes(stream, &update, sizeof(update));
    stage_text(stream, event->name, room);
    stage_end(stream);
}

/* A sink that writes to the stream. */
struct stream_sink {
    struct sink sink;
    struct stream *stream;
};

static void stream_sink_write(struct sink *sink, const char *bytes, size_t length)
{
    stage_bytes(((struct stream_sink *)sink)->stream, bytes, length);
}

/*
 * TRACING_DATA follows the attributes, because perf attaches descriptions only to events it knows,
 * and precedes the names, because `perf lock` looks for the descriptions when it reads a name.
 */
static void put_tracing_data(struct stream *stream, struct record_source *source, bool more)
{
    struct stream_sink into = {{stream_sink_write}, stream};
    struct perf_pipe_tracing_data record;

    if (!tracing_data_needed(source))
        return;
    record.header = stage_header_of(PERF_PIPE_TRACING_DATA, 0, sizeof(record));
    stream->described += tracing_data_prepare(source, more);
    record.size = (uint32_t)stream->described;
    stage_bytes(stream, &record, sizeof(record));
    tracing_data_write(&into.sink, source);
    stage_end(stream);
}

static void put_build_id(struct stream *stream)
{
    struct perf_pipe_build_id record = {.pid = -1, .size = PERF_PIPE_BUILD_ID_SIZE};
    size_t size = stage_round_up(sizeof(record) + sizeof(kernel_dso));

    record.header = stage_header_of(PERF_PIPE_BUILD_ID,
                                    PERF_RECORD_MISC_KERNEL | PERF_PIPE_MISC_BUILD_ID_SIZE, size);
    memcpy(record.build_id, stream->kernel->build_id, sizeof(record.build_id));
    stage_bytes(stream, &record, sizeof(record));
    stage_text(stream, kernel_dso, size - sizeof(record));
    stage_end(stream);
}

/* The map's name ends in a symbol; its pgoff is that symbol's address. */
static void put_kernel_map(struct stream *stream)
{
    const struct stream_kernel *kernel = stream->kernel;
    const struct stage_origin boot = {.pid = (uint32_t)-1};
    const char *known = kernel->known ? kernel->known : "_text";
    size_t room = stage_round_up(sizeof(kernel_dso) + strlen(known));
    size_t size = sizeof(struct perf_event_header) + 4 * sizeof(uint64_t) + room;

    stage_header_with_id(stream, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, size);
    stage_u32_pair(stream, boot.pid, boot.tid);
    stage_u64(stream, kernel->text);
    stage_u64(stream, kernel->text_size);
    stage_u64(stream, kernel->known ? kernel->known_at : kernel->text);
    stage_bytes(stream, kernel_dso, sizeof(kernel_dso) - 1);
    stage_text(stream, known, room - (sizeof(kernel_dso) - 1));
    stage_end_with_id(stream, &boot);
}

void head_open(struct stream *stream)
{
    const struct perf_pipe_header header = {.magic = PERF_PIPE_MAGIC, .size = sizeof(header)};

    stage_bytes(stream, &header, sizeof(header));
    stage_end(stream);
    if (stream->kernel->build_id)
        put_build_id(stream);
}

void head_events(struct stream *stream, struct record_source *source, bool more)
{
    for (size_t i = 0; i < source->event_count; i++)
        put_attr(stream, &source->events[i]);
    put_tracing_data(stream, source, more);
    for (size_t i = 0; i < source->event_count; i++)
        put_name(stream, &source->events[i]);
}

void head_machine(struct stream *stream)
{
    put_features(stream);
    put_kernel_map(stream);
}
