/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording in the memory of a machine that has stopped, copied: events, the names of threads,
 * the rings, and what the records' tracepoints look like. Nothing that was read is believed before
 * it was looked at: a kernel that died may have written anywhere. Functions that return false have
 * printed the reason.
 */
#pragma once

#include "core/abi/recorder.h"
#include "core/ring/walk.h"
#include "core/sample/records.h"
#include "core/stream/stream.h"
#include "tools/postmortem/memory.h"

/* One CPU's. */
struct recorded_ring {
    uint32_t cpu;
    struct ring ring; /* its bytes are ours */
    struct ring_walk walk;
    uint64_t foreign;  /* whole records that are of no event of the recording, left out */
    uint64_t time;     /* of the next record, which lies in `record` */
    uint8_t *record;   /* RING_RECORD_MAX bytes */
    bool damaged;      /* the walk did not come to the end */
    const char *fault; /* NULL; why it is no ring at all */
};

struct recording {
    struct record_source source; /* its first member: of all rings, in order of time */
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
