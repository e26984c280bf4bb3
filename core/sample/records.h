/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording as its readers (report, script, stream) see it: its events, its records in time
 * order, and the names of its tasks. Provided by core/recording/, and by tests on the host. Task
 * context, except comm_of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#define EVENT_NAME_SIZE 96

/* Fields of every sample: omitting one would cost more instructions than storing it. */
#define SAMPLE_ALWAYS                                                                              \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU)

/* Fields that an event may add. */
#define SAMPLE_OPTIONAL                                                                            \
    (PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_INTR)

struct recorded_event {
    uint64_t id; /* value of IDENTIFIER */
    struct perf_event_attr attr;
    char name[EVENT_NAME_SIZE]; /* as the user spelt it: "mem:kernel_flag:rw" */
    uint64_t count;             /* hits, recorded or not */
    uint64_t doubtful;          /* possible hits; neither counted nor recorded */
};

struct record_source {
    void (*rewind)(struct record_source *source);
    /* The next record, or NULL at the end; valid until the next call. */
    const struct perf_event_header *(*next)(struct record_source *source);
    const struct recorded_event *events;
    size_t event_count;
};

/*
 * A task's exit if `comm` is NULL, a code mapping in its memory if `size` is not 0, and otherwise
 * its name, and its creation if the parent is known.
 */
struct recorded_task {
    uint32_t pid, tid;
    uint32_t parent;  /* the creator; 0: the task existed before, or no task created it */
    const char *comm; /* for a mapping: the file's name; NULL: the task's exit */
    uint64_t time;    /* time of the name, mapping or exit; 0: before the recording began */
    uint64_t start, size, offset; /* [start, start + size) maps the file from `offset` on */
    const uint8_t *build_id;      /* the file's, 20 bytes; NULL: not known */
};

/* The counters of one CPU's ring at the end of the recording. */
struct recorded_loss {
    uint32_t cpu;
    uint64_t dropped;     /* reported at the stream's end as PERF_RECORD_LOST, ... */
    uint64_t overwritten; /* ... and both as PERF_RECORD_LOST_SAMPLES */
};

/* The task's name; never NULL. If it is empty, readers print ":TID". Safe in crash paths. */
const char *comm_of(uint32_t tid);

/* --- A PERF_RECORD_SAMPLE, parsed by its event's sample_type (view.c). --- */

/*
 * The layout is that of <linux/perf_event.h>. Reads only inside the record and refuses what does
 * not fit, so it is safe on records that a crash left half written. Pure: any context.
 */
struct sample_view {
    const struct recorded_event *event;
    uint64_t ip, time, addr, period;
    uint32_t pid, tid, cpu;
    const uint64_t *chain; /* chain_length entries, PERF_CONTEXT_* markers included */
    size_t chain_length;
    const void *raw; /* raw_size bytes, at a multiple of 8 plus 4; NULL if there are none */
    size_t raw_size;
    uint64_t registers_abi;    /* PERF_SAMPLE_REGS_ABI_*: NONE if there are none */
    const uint64_t *registers; /* in the order of the set bits of event->attr.sample_regs_intr */
    size_t register_count;
};

/*
 * Returns false if the record is not a sample of these events, or if its fields do not match its
 * size. The `size` bytes that the record's header gives must be readable. Absent fields are 0; an
 * absent period is the event's sample_period, as in perf.
 */
bool sample_view_parse(const struct perf_event_header *record, const struct recorded_event *events,
                       size_t event_count, struct sample_view *view);

/* Returns the time of a record of any type in the rings. */
uint64_t sample_time(const struct perf_event_header *header);

/*
 * Iterates over a chain's addresses in the order that the reader wants, without the PERF_CONTEXT_*
 * markers. As in perf, their number can be limited; those that come first are kept.
 */
struct chain_walk {
    const uint64_t *chain;
    size_t length, seen; /* entries, markers included */
    size_t given, most;  /* addresses: returned so far, and at most */
    bool caller;
};

#define CHAIN_WALK_MOST PERF_MAX_STACK_DEPTH /* the largest `most` */

/* `caller`: the outermost caller comes first; otherwise the address of the hit does. */
void chain_walk_start(struct chain_walk *walk, const struct sample_view *view, bool caller,
                      size_t most);

/* Returns false at the end. */
bool chain_walk_next(struct chain_walk *walk, uint64_t *address);
