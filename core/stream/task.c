/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of tasks (stream_put_task): names, forks, exits and mapped code. */
#include "core/task.h"
#include "core/abi/perf_pipe.h"
#include "core/lib/string.h"
#include "core/stream/stage.h"

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
