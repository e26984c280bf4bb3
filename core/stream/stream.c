/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes recordings in perf's pipe format (core/abi/perf_pipe.h), record after record: a record is
 * staged whole and then sent. docs/stream.md gives the order and what perf does without each
 * record. Called by core/stream/drain.c, in its thread or in the console's once the events are off,
 * and in a crash; the sink may be slow.
 */
#include "core/stream/stream.h"

#include "arch/local.h"
#include "core/abi/perf_pipe.h"
#include "core/lib/assert.h"
#include "core/lib/crc32.h"
#include "core/lib/string.h"
#include "core/stream/tracing_data.h"

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

/* What the staged bytes bring about, now that they have left. May be done twice. */
static void settle(struct stream *stream)
{
    stream->bytes = stream->bytes_after;
    stream->crc = stream->crc_after;
    stream->records = stream->records_after;
    if (stream->packs && stream->leaving_length == 0)
        stream->packer->zstd.end = stream->packer->end_after;
    else if (stream->packs)
        zstd_commit(&stream->packer->zstd);
    stream->staged_length = stream->staged_after;
    local_barrier(); /* a crash in between finds `sending` and does all of it again */
    stream->sending = false;
}

/*
 * These bytes leave; then so many records more have left, and so many bytes are staged still.
 * No bytes: the staged record has been put into the packer.
 */
static void leave(struct stream *stream, const void *bytes, size_t length, unsigned records,
                  size_t staged_after)
{
    stream->leaving = bytes;
    stream->leaving_length = length;
    stream->staged_after = staged_after;
    stream->bytes_after = stream->bytes + length;
    stream->crc_after = crc32_update(stream->crc, bytes, length);
    stream->records_after = stream->records + records;
    stream->left_before = stream->left ? *stream->left : 0;
    local_barrier(); /* a crash that finds `sending` finds the rest */
    stream->sending = true;
    local_barrier();
    if (length > 0)
        stream->sink->write(stream->sink, bytes, length);
    local_barrier();
    settle(stream);
}

/* `whole`: a record ends here. */
static void send(struct stream *stream, bool whole)
{
    assert(!stream->packs); /* what is longer than the stage stands in the head */
    leave(stream, stream->staged, stream->staged_length, whole, 0);
}

void stream_flush(struct stream *stream)
{
    struct stream_packer *packer = stream->packer;
    size_t size;

    if (!stream->packs || packer->zstd.end == packer->zstd.flushed)
        return;
    size = sizeof(packer->header) + zstd_flush(&packer->zstd, packer->body);
    packer->header =
        (struct perf_event_header){.type = PERF_PIPE_COMPRESSED, .size = (uint16_t)size};
    leave(stream, &packer->header, size, 0, stream->staged_length);
}

/* To a reader of the rings, a record that waits in the packer has left: a crash flushes it. */
static void pack(struct stream *stream)
{
    if (zstd_room(&stream->packer->zstd) < stream->staged_length)
        stream_flush(stream);
    stream->packer->end_after =
        zstd_put(&stream->packer->zstd, stream->staged, stream->staged_length);
    leave(stream, stream->staged, 0, 1, 0);
}

static void put(struct stream *stream, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        size_t room = STREAM_STAGE - stream->staged_length;
        size_t part = length < room ? length : room;

        assert(stream->staged_length <= STREAM_STAGE);
        memcpy(stream->staged + stream->staged_length, from, part);
        stream->staged_length += part;
        from += part;
        length -= part;
        if (length > 0)
            send(stream, false);
    }
}

/*
 * Ends the record that has been put. At the end of a recording those that have left before a crash
 * are dropped.
 */
static void put_end(struct stream *stream)
{
    if (stream->ending && stream->end_start + stream->end_put++ < stream->records)
        stream->staged_length = 0;
    else if (stream->packs)
        pack(stream);
    else
        send(stream, true);
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

    assert(length <= room); /* the header says `room` already */
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

/* A feature that is one string; NULL: there is none. */
static void put_feature(struct stream *stream, enum perf_pipe_feature_number number,
                        const char *text)
{
    struct perf_pipe_feature feature;
    size_t start = __builtin_offsetof(struct perf_pipe_feature, length) + sizeof(feature.length);
    size_t size;

    if (text == NULL)
        return;
    size = round_up_to_8(start + strlen(text) + 1);
    feature.header = header_of(PERF_PIPE_FEATURE, 0, size);
    feature.feature = number;
    feature.length = (uint32_t)(size - start);
    put(stream, &feature, start);
    put_text(stream, text, size - start);
    put_end(stream);
}

static void put_machine(struct stream *stream)
{
    const struct stream_kernel *kernel = stream->kernel;
    const struct perf_pipe_cpus cpus = {
        .header = header_of(PERF_PIPE_FEATURE, 0, sizeof(cpus)),
        .feature = PERF_PIPE_FEATURE_NRCPUS,
        .available = kernel->cpus,
        .online = kernel->online,
    };

    put_feature(stream, PERF_PIPE_FEATURE_ARCH, kernel->arch);
    if (kernel->cpus > 0) {
        put(stream, &cpus, sizeof(cpus));
        put_end(stream);
    }
    put_feature(stream, PERF_PIPE_FEATURE_CPUDESC, kernel->cpu);
    put_feature(stream, PERF_PIPE_FEATURE_CPUID, kernel->cpu_kind);
}

/* Once for a stream, before the first record that is compressed. */
static void put_compression(struct stream *stream)
{
    const struct perf_pipe_compression record = {
        .header = header_of(PERF_PIPE_FEATURE, 0, sizeof(record)),
        .feature = PERF_PIPE_FEATURE_COMPRESSED,
        .version = 1,
        .type = 1,
        .level = 1,
        .ratio = 1,
        .room = 2 * ZSTD_PENDING_MAX,
    };

    put(stream, &record, sizeof(record));
    put_end(stream);
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
    put_end(stream);
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
    put_end(stream);
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
 * It comes after the attributes, because perf then gives each event that it knows its description,
 * and before the samples. perf never sets back the count of bytes that it compares the size with:
 * the size is that of all descriptions so far.
 */
static void put_tracing_data(struct stream *stream, struct record_source *source, bool more)
{
    struct stream_sink into = {{stream_sink_write}, stream};
    struct perf_pipe_tracing_data record;

    if (!tracing_data_needed(source))
        return;
    record.header = header_of(PERF_PIPE_TRACING_DATA, 0, sizeof(record));
    stream->described += tracing_data_prepare(source, more);
    record.size = (uint32_t)stream->described;
    put(stream, &record, sizeof(record));
    tracing_data_write(&into.sink, source);
    put_end(stream);
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
    put_end(stream);
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
    put_end(stream);
}

static void put_comm(struct stream *stream, const struct recorded_task *task,
                     const struct origin *origin)
{
    size_t room = round_up_to_8(strlen(task->comm) + 1);
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + room;

    put_header(stream, PERF_RECORD_COMM, 0, size + trailer_size(&stream->first));
    put_u32_pair(stream, task->pid, task->tid);
    put_text(stream, task->comm, room);
    put_trailer(stream, &stream->first, origin);
    put_end(stream);
}

/*
 * A birth or an end, which are laid out alike. What is born does not begin with its parent's
 * mappings, as perf takes it to unless it is told so.
 */
static void put_birth_or_end(struct stream *stream, uint32_t type, const struct recorded_task *task,
                             const struct origin *origin)
{
    size_t size = sizeof(struct perf_event_header) + 3 * sizeof(uint64_t);
    unsigned misc = type == PERF_RECORD_FORK ? PERF_RECORD_MISC_FORK_EXEC : 0;

    put_header(stream, type, misc, size + trailer_size(&stream->first));
    put_u32_pair(stream, task->pid, task->parent);
    put_u32_pair(stream, task->tid, task->parent);
    put_u64(stream, origin->time);
    put_trailer(stream, &stream->first, origin);
    put_end(stream);
}

/* As mmap would have been called: readable code, changes not shared. */
#define MAP_PROTECTION (1u | 4u)
#define MAP_PRIVATE    2u

/* Without a build id the device and inode in its place are 0. */
static void put_map(struct stream *stream, const struct recorded_task *task,
                    const struct origin *origin)
{
    struct {
        uint8_t size, reserved[3];
        uint8_t build_id[PERF_PIPE_BUILD_ID_SIZE];
    } file = {0};
    size_t room = round_up_to_8(strlen(task->comm) + 1);
    size_t size = sizeof(struct perf_event_header) + 5 * sizeof(uint64_t) + sizeof(file) + room;
    unsigned misc = PERF_RECORD_MISC_USER;

    if (task->build_id) {
        misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
        file.size = PERF_PIPE_BUILD_ID_SIZE;
        memcpy(file.build_id, task->build_id, sizeof(file.build_id));
    }
    put_header(stream, PERF_RECORD_MMAP2, misc, size + trailer_size(&stream->first));
    put_u32_pair(stream, task->pid, task->tid);
    put_u64(stream, task->start);
    put_u64(stream, task->size);
    put_u64(stream, task->offset);
    put(stream, &file, sizeof(file));
    put_u32_pair(stream, MAP_PROTECTION, MAP_PRIVATE);
    put_text(stream, task->comm, room);
    put_trailer(stream, &stream->first, origin);
    put_end(stream);
}

/*
 * A task that was there when the recording began has its name from a time between the recordings: a
 * task id that comes again, under another name, must not rename older samples.
 */
void stream_put_task(struct stream *stream, const struct recorded_task *task)
{
    const struct origin origin = {
        .pid = task->pid, .tid = task->tid, .time = task->time ? task->time : stream->closed};

    if (task->size) {
        put_map(stream, task, &origin);
        return;
    }
    if (!task->comm) {
        put_birth_or_end(stream, PERF_RECORD_EXIT, task, &origin);
        return;
    }
    if (task->parent)
        put_birth_or_end(stream, PERF_RECORD_FORK, task, &origin);
    put_comm(stream, task, &origin);
}

void stream_put_record(struct stream *stream, const struct perf_event_header *record)
{
    assert(record->size <= STREAM_STAGE);
    put(stream, record, record->size);
    put_end(stream);
}

/* perf counts LOST records as well as what they say, so nothing lost must stay unsaid. */
static void put_loss(struct stream *stream, const struct recorded_loss *loss, uint64_t time)
{
    const struct recorded_event *event = &stream->first;
    const struct origin origin = {.time = time, .cpu = loss->cpu};
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + trailer_size(event);

    if (loss->dropped != 0) {
        put_header(stream, PERF_RECORD_LOST, 0, size + sizeof(uint64_t));
        put_u64(stream, event->id);
        put_u64(stream, loss->dropped);
        put_trailer(stream, event, &origin);
        put_end(stream);
    }
    if (loss->overwritten != 0) {
        put_header(stream, PERF_RECORD_LOST_SAMPLES, 0, size);
        put_u64(stream, loss->overwritten);
        put_trailer(stream, event, &origin);
        put_end(stream);
    }
}

void stream_put_round(struct stream *stream)
{
    put_header(stream, PERF_PIPE_FINISHED_ROUND, 0, sizeof(struct perf_event_header));
    put_end(stream);
}

/* The CRC is that of all up to its own place: what has left, and the part of this record before. */
static void put_checksum(struct stream *stream)
{
    const uint32_t zero = 0;
    uint32_t crc;

    put_header(stream, PERF_PIPE_EVENT_TYPE, 0, sizeof(struct perf_pipe_checksum));
    put(stream, &zero, sizeof(zero));
    crc = crc32_update(stream->crc, stream->staged, stream->staged_length);
    put(stream, &crc, sizeof(crc));
    put_end(stream);
}

/* What stands at the head of the stream, once: all that does not need an event to be understood. */
static void open_stream(struct stream *stream)
{
    const struct perf_pipe_header header = {.magic = PERF_PIPE_MAGIC, .size = sizeof(header)};

    put(stream, &header, sizeof(header));
    put_end(stream);
    if (stream->kernel->build_id)
        put_build_id(stream);
}

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel)
{
    *stream = (struct stream){.sink = sink, .kernel = kernel};
}

void stream_set_packer(struct stream *stream, struct stream_packer *packer)
{
    zstd_init(&packer->zstd);
    stream->packer = packer;
}

/* From here on to the end of the recording: perf takes no TRACING_DATA that is compressed. */
static void begin_packing(struct stream *stream)
{
    assert(stream->packer);
    if (!stream->packing_told)
        put_compression(stream);
    stream->packing_told = true;
    stream->packs = true;
}

void stream_begin_recording(struct stream *stream, struct record_source *source, bool more)
{
    /* Records that belong to no event in particular are read by the sample_type of the first. */
    stream->first = source->events[0];
    stream->ending = false;
    if (!stream->opened) {
        open_stream(stream);
    }
    for (size_t i = 0; i < source->event_count; i++) {
        put_attr(stream, &source->events[i]);
        put_name(stream, &source->events[i]);
    }
    put_tracing_data(stream, source, more);
    if (!stream->opened) {
        /* `perf evlist` takes the first feature for the end of the attributes. */
        put_machine(stream);
        put_kernel_map(stream, &stream->first);
        stream->opened = true;
    }
    if (stream->compress)
        begin_packing(stream);
}

void stream_end_recording(struct stream *stream, const struct recorded_loss *losses,
                          size_t loss_count, uint64_t time)
{
    if (!stream->ending) {
        stream->end_start = stream->records;
        local_barrier(); /* a crash that finds `ending` finds where it began */
        stream->ending = true;
    }
    stream->end_put = 0;
    stream_put_round(stream);
    for (size_t i = 0; i < loss_count; i++) {
        put_loss(stream, &losses[i], time);
    }
    stream_put_round(stream);
    stream_flush(stream);
    stream->packs = false; /* the checksum stands as it is, for tools that know no zstd */
    put_checksum(stream);
    stream->closed = time;
}

void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct recorded_task *tasks, size_t task_count,
                            const struct recorded_loss *losses, size_t loss_count, uint64_t time)
{
    const struct perf_event_header *record;

    stream_begin_recording(stream, source, false);
    for (size_t i = 0; i < task_count; i++) {
        stream_put_task(stream, &tasks[i]);
    }
    source->rewind(source);
    while ((record = source->next(source)) != NULL) {
        stream_put_record(stream, record);
    }
    stream_end_recording(stream, losses, loss_count, time);
}

bool stream_recover(struct stream *stream)
{
    uint64_t gone;

    if (!stream->left)
        return false;
    if (stream->sending) {
        gone = *stream->left - stream->left_before;
        if (gone < stream->leaving_length)
            stream->sink->write(stream->sink, (const char *)stream->leaving + gone,
                                stream->leaving_length - gone);
        settle(stream);
    }
    stream->staged_length = 0;
    return true;
}
