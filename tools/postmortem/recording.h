/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy of the recording in a stopped machine's memory: events, thread names, rings, tracepoints'
 * fields. Nothing read is trusted before it is validated: a dying kernel may have written anywhere.
 * Functions that return false have printed the reason.
 */
#pragma once

#include "core/abi/recorder.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/stream/stream.h"
#include "tools/postmortem/memory.h"

/* The ring of one CPU. */
struct recorded_ring {
    uint32_t cpu;
    struct ring ring; /* with a copy of its bytes */
    struct ring_walk walk;
    uint64_t foreign;  /* whole records of no event of the recording, left out */
    uint64_t time;     /* of the next record, in `record` */
    uint8_t *record;   /* RING_RECORD_MAX bytes */
    bool damaged;      /* the walk ended early */
    const char *fault; /* why the ring cannot be used, or NULL */
};

struct recording {
    struct record_source source; /* first member: the records of all rings, in order of time */
    struct recorded_event *events;
    size_t event_count;
    struct recorded_task *tasks;
    size_t task_count;
    struct recorded_ring *rings; /* those that have memory */
    size_t ring_count;
    uint64_t newest; /* the time of the newest record read so far */
};

/* `address` is that of the kernel's struct recorder. */
bool recording_read(struct recording *recording, struct memory *memory, uint64_t address);

/*
 * Copies the kernel's tracepoints for core/stream/tracing_data.c; tracepoints.c also implements
 * tracepoint_by_id and tracepoint_id (core/tracepoint/tracepoint.h) in place of
 * core/tracepoint/list.c, which uses the linker's list.
 */
bool tracepoints_read(struct memory *memory, const struct recorder *recorder);
