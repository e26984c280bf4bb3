/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the variables of recording.c and tasks.c to tools/postmortem (core/abi/recorder.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/abi/recorder.h"
#include "core/event/event.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/tracepoint/tracepoint.h"

extern const struct recorder recorder;
extern const struct recorder_tasks recorder_tasks;

/* Weak, as in core/tracepoint/list.c: the kernel may have no tracepoints. */
extern struct pitot_tracepoint *const __start_pitot_tracepoints[] __attribute__((weak));
extern struct pitot_tracepoint *const __stop_pitot_tracepoints[] __attribute__((weak));

#define RECORDER_WIDTH(type, field, bytes)                                                         \
    _Static_assert(sizeof(((type *)NULL)->field) == (bytes), "core/abi/recorder.h says so")

RECORDER_WIDTH(struct ring, mode, 4);
RECORDER_WIDTH(struct ring, head, 8);
RECORDER_WIDTH(struct ring_claim, offset, 8);
RECORDER_WIDTH(struct recorded_event, id, 8);
RECORDER_WIDTH(struct recorded_task, tid, 4);
RECORDER_WIDTH(struct recorded_task, parent, 4);
RECORDER_WIDTH(struct recorded_task, time, 8);
RECORDER_WIDTH(struct recorded_task, size, 8);
RECORDER_WIDTH(struct pitot_tracepoint, field_count, 4);
RECORDER_WIDTH(struct pitot_field, kind, 4);
RECORDER_WIDTH(struct pitot_field, offset, 2);

#define RECORDER_RING                                                                              \
    {                                                                                              \
        .bytes = offsetof(struct ring, bytes), .size = offsetof(struct ring, size),                \
        .mode = offsetof(struct ring, mode), .head = offsetof(struct ring, head),                  \
        .published = offsetof(struct ring, published), .tail = offsetof(struct ring, tail),        \
        .nest = offsetof(struct ring, nest), .produced = offsetof(struct ring, produced),          \
        .dropped = offsetof(struct ring, dropped),                                                 \
        .overwritten = offsetof(struct ring, overwritten), .overwrites = RING_OVERWRITE,           \
        .claims = offsetof(struct ring, claims), .claim_count = RING_NESTING,                      \
        .claim_stride = sizeof(struct ring_claim),                                                 \
        .claim_offset = offsetof(struct ring_claim, offset),                                       \
        .claim_size = offsetof(struct ring_claim, size),                                           \
    }

#define RECORDER_EVENT                                                                             \
    {                                                                                              \
        .stride = sizeof(struct event), .id = offsetof(struct event, recorded.id),                 \
        .attr = offsetof(struct event, recorded.attr),                                             \
        .attr_size = sizeof(struct perf_event_attr),                                               \
        .name = offsetof(struct event, recorded.name), .name_size = EVENT_NAME_SIZE,               \
    }

#define RECORDER_TRACEPOINT                                                                        \
    {                                                                                              \
        .full_name = offsetof(struct pitot_tracepoint, full_name),                                 \
        .name = offsetof(struct pitot_tracepoint, name),                                           \
        .fields = offsetof(struct pitot_tracepoint, field),                                        \
        .field_count = offsetof(struct pitot_tracepoint, field_count),                             \
        .field_stride = sizeof(struct pitot_field),                                                \
        .field_name = offsetof(struct pitot_field, name),                                          \
        .field_print = offsetof(struct pitot_field, print),                                        \
        .field_kind = offsetof(struct pitot_field, kind),                                          \
        .field_offset = offsetof(struct pitot_field, offset),                                      \
        .field_size = offsetof(struct pitot_field, size),                                          \
    }

/* The arguments are three variables: an array of rings, a pointer to the events, their number. */
#define RECORDER(all_rings, first_event, count_of_events)                                          \
    {                                                                                              \
        .magic = RECORDER_MAGIC, .version = RECORDER_VERSION, .size = sizeof(struct recorder),     \
        .rings = (uintptr_t)(all_rings), .ring_stride = sizeof(struct ring),                       \
        .ring_count = sizeof(all_rings) / sizeof(struct ring),                                     \
        .events = (uintptr_t) & (first_event), .event_count = (uintptr_t) & (count_of_events),     \
        .tasks = (uintptr_t)&recorder_tasks, .tracepoints = (uintptr_t)__start_pitot_tracepoints,  \
        .tracepoints_end = (uintptr_t)__stop_pitot_tracepoints, .ring = RECORDER_RING,             \
        .event = RECORDER_EVENT, .tracepoint = RECORDER_TRACEPOINT,                                \
    }

/* `name_room`, `path_room`: sizes of the longest name and path, including the NUL. */
#define RECORDER_TASKS(first_task, count_of_tasks, name_room, path_room)                           \
    {                                                                                              \
        .first = (uintptr_t)(first_task), .count = (uintptr_t) & (count_of_tasks),                 \
        .task = {.stride = sizeof(struct recorded_task),                                           \
                 .pid = offsetof(struct recorded_task, pid),                                       \
                 .tid = offsetof(struct recorded_task, tid),                                       \
                 .time = offsetof(struct recorded_task, time),                                     \
                 .name = offsetof(struct recorded_task, comm),                                     \
                 .name_size = (name_room),                                                         \
                 .start = offsetof(struct recorded_task, start),                                   \
                 .size = offsetof(struct recorded_task, size),                                     \
                 .offset = offsetof(struct recorded_task, offset),                                 \
                 .build_id = offsetof(struct recorded_task, build_id),                             \
                 .path_size = (path_room),                                                         \
                 .parent = offsetof(struct recorded_task, parent)},                                \
    }
