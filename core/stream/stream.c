/* SPDX-License-Identifier: BSD-2-Clause */
/* See stream.h. head.c writes the records of the head; stage.c sends all. */
#include "core/stream/stream.h"

#include "arch/local.h"
#include "core/abi/perf_pipe.h"
#include "core/lib/assert.h"
#include "core/lib/crc32.h"
#include "core/lib/string.h"
#include "core/stream/stage.h"
#include "core/task.h"

/* --- Records. --- */

void stream_put_record(struct stream *stream, const struct perf_event_header *record)
{
    assert(record->size <= STREAM_STAGE);
    stage_bytes(stream, record, record->size);
    stage_end(stream);
}

/*
 * Tells drops twice, as perf record does on Linux: perf's report only counts the records of LOST,
 * so none is written unless something was lost; LOST_SAMPLES makes its `Total Lost Samples`.
 */
static void put_loss(struct stream *stream, const struct recorded_loss *loss, uint64_t time)
{
    const struct stage_origin origin = {.time = time, .cpu = loss->cpu};
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t);

    if (loss->dropped != 0) {
        stage_header_with_id(stream, PERF_RECORD_LOST, 0, size + sizeof(uint64_t));
        stage_u64(stream, stream->first.id);
        stage_u64(stream, loss->dropped);
        stage_end_with_id(stream, &origin);
    }
    if (loss->dropped + loss->overwritten != 0) {
        stage_header_with_id(stream, PERF_RECORD_LOST_SAMPLES, 0, size);
        stage_u64(stream, loss->dropped + loss->overwritten);
        stage_end_with_id(stream, &origin);
    }
}

void stream_put_round(struct stream *stream)
{
    stage_header(stream, PERF_PIPE_FINISHED_ROUND, 0, sizeof(struct perf_event_header));
    stage_end(stream);
}

/* The CRC covers all bytes sent, and this record up to its own field. */
static void put_checksum(struct stream *stream)
{
    static const struct perf_pipe_checksum empty;
    uint32_t crc;

    stage_header(stream, PERF_PIPE_EVENT_TYPE, 0, sizeof(empty));
    stage_bytes(stream, empty.reserved, sizeof(empty.reserved));
    crc = crc32_update(stream->crc, stream->staged, stream->staged_length);
    stage_bytes(stream, &crc, sizeof(crc));
    stage_end(stream);
}

/* --- Tasks: names, forks, exits and mapped code. --- */

static void put_comm(struct stream *stream, const struct recorded_task *task,
                     const struct stage_origin *origin)
{
    size_t room = stage_round_up(strlen(task->comm) + 1);
    size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + room;

    stage_header_with_id(stream, PERF_RECORD_COMM, 0, size);
    stage_u32_pair(stream, task->pid, task->tid);
    stage_text(stream, task->comm, room);
    stage_end_with_id(stream, origin);
}

/* FORK and EXIT share a layout. FORK_EXEC: the new task does not inherit its parent's mappings. */
static void put_birth_or_end(struct stream *stream, uint32_t type, const struct recorded_task *task,
                             const struct stage_origin *origin)
{
    size_t size = sizeof(struct perf_event_header) + 3 * sizeof(uint64_t);
    unsigned misc = type == PERF_RECORD_FORK ? PERF_RECORD_MISC_FORK_EXEC : 0;

    stage_header_with_id(stream, type, misc, size);
    stage_u32_pair(stream, task->pid, task->parent);
    stage_u32_pair(stream, task->tid, task->parent);
    stage_u64(stream, origin->time);
    stage_end_with_id(stream, origin);
}

/* Arguments of mmap: readable and executable, private. */
#define MAP_PROTECTION (1u | 4u)
#define MAP_PRIVATE    2u

/* Without a build id, the record has a device and an inode number in its place, both 0. */
static void put_map(struct stream *stream, const struct recorded_task *task,
                    const struct stage_origin *origin)
{
    struct {
        uint8_t size, reserved[3];
        uint8_t build_id[PERF_PIPE_BUILD_ID_SIZE];
    } file = {0};
    size_t room = stage_round_up(strlen(task->comm) + 1);
    size_t size = sizeof(struct perf_event_header) + 5 * sizeof(uint64_t) + sizeof(file) + room;
    unsigned misc = PERF_RECORD_MISC_USER;

    if (task->build_id) {
        misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
        file.size = PERF_PIPE_BUILD_ID_SIZE;
        memcpy(file.build_id, task->build_id, sizeof(file.build_id));
    }
    stage_header_with_id(stream, PERF_RECORD_MMAP2, misc, size);
    stage_u32_pair(stream, task->pid, task->tid);
    stage_u64(stream, task->start);
    stage_u64(stream, task->size);
    stage_u64(stream, task->offset);
    stage_bytes(stream, &file, sizeof(file));
    stage_u32_pair(stream, MAP_PROTECTION, MAP_PRIVATE);
    stage_text(stream, task->comm, room);
    stage_end_with_id(stream, origin);
}

/*
 * A task without a time gets the time at which the last recording ended, so that a reused id does
 * not rename that recording's samples.
 */
void stream_put_task(struct stream *stream, const struct recorded_task *task)
{
    const struct stage_origin origin = {
        .pid = task->pid, .tid = task->tid, .time = task->time ? task->time : stream->closed};

    if (task->size) {
        put_map(stream, task, &origin);
        return;
    }
    if (!task->comm) {
        put_birth_or_end(stream, PERF_RECORD_EXIT, task, &origin);
        return;
    }
    /* perf knows the idle threads' name, and would count them as working if they were reported. */
    if (task->pid == 0 && strcmp(task->comm, TASK_IDLE_NAME) == 0)
        return;
    if (task->parent)
        put_birth_or_end(stream, PERF_RECORD_FORK, task, &origin);
    put_comm(stream, task, &origin);
}

/* --- A recording. --- */

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel)
{
    *stream = (struct stream){.sink = sink, .kernel = kernel};
}

void stream_set_packer(struct stream *stream, struct stream_packer *packer)
{
    zstd_init(&packer->zstd);
    stream->packer = packer;
}

void stream_begin_recording(struct stream *stream, struct record_source *source, bool more)
{
    /* perf parses records without an event by the first event's sample_type. */
    stream->first = source->events[0];
    stream->ending = false;
    if (!stream->opened)
        head_open(stream);
    head_events(stream, source, more);
    if (!stream->opened) {
        head_machine(stream);
        stream->opened = true;
    }
    if (!stream->compress)
        return;
    assert(stream->packer);
    if (!stream->packing_told)
        head_compression(stream);
    stream->packing_told = true;
    stream->packs = true; /* not before: perf rejects a compressed TRACING_DATA */
}

void stream_end_recording(struct stream *stream, const struct recorded_loss *losses,
                          size_t loss_count, uint64_t time)
{
    if (!stream->ending) {
        stream->end_start = stream->records;
        local_barrier(); /* a crash that sees `ending` also sees end_start */
        stream->ending = true;
    }
    stream->end_put = 0;
    stream_put_round(stream);
    for (size_t i = 0; i < loss_count; i++)
        put_loss(stream, &losses[i], time);
    stream_put_round(stream);
    stream_flush(stream);
    stream->packs = false; /* the checksum is not compressed, for tools without zstd */
    put_checksum(stream);
    stream->closed = time;
}

void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct recorded_task *tasks, size_t task_count,
                            const struct recorded_loss *losses, size_t loss_count, uint64_t time)
{
    const struct perf_event_header *record;

    stream_begin_recording(stream, source, false);
    for (size_t i = 0; i < task_count; i++)
        stream_put_task(stream, &tasks[i]);
    source->rewind(source);
    while ((record = source->next(source)) != NULL)
        stream_put_record(stream, record);
    stream_end_recording(stream, losses, loss_count, time);
}
