/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers of a recording (report, script, stream) see of it: its events and, in time
 * order, its records. The kernel's recordings provide one (core/recording/recording.c), tests on
 * the host another. Task context only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#define EVENT_NAME_SIZE 96

struct recorded_event {
    uint64_t id; /* what IDENTIFIER carries */
    struct perf_event_attr attr;
    char name[EVENT_NAME_SIZE]; /* as the user spelt it: "mem:kernel_flag:rw" */
    uint64_t count;             /* hits, recorded or not */
    uint64_t doubtful;          /* hits that may be its as well; neither counted nor recorded */
};

struct record_source {
    void (*rewind)(struct record_source *source);
    /* The next record, or NULL at the end; valid until the next call. */
    const struct perf_event_header *(*next)(struct record_source *source);
    const struct recorded_event *events;
    size_t event_count;
};

/*
 * One of three: a task's name, and its birth if its parent is known; a mapping of code into its
 * memory, if `size` is not 0; or its end, if `comm` is NULL.
 */
struct recorded_task {
    uint32_t pid, tid;
    uint32_t parent;              /* the task that made it; 0: it existed before, or no task made
                                   * it */
    const char *comm;             /* for a mapping: the name of its file; NULL: the task's end */
    uint64_t time;                /* when it got the name; 0: it had it when the recording began */
    uint64_t start, size, offset; /* [start, start + size) maps the file from `offset` on */
    const uint8_t *build_id;      /* of the file, 20 bytes; NULL: not known */
};

/* The counters of one CPU's ring at the close of the recording. */
struct recorded_loss {
    uint32_t cpu;
    uint64_t dropped;     /* the stream's end tells it as PERF_RECORD_LOST */
    uint64_t overwritten; /* ... as PERF_RECORD_LOST_SAMPLES */
};
