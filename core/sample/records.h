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
    uint64_t doubtful;          /* more hits that may have been its: neither counted nor recorded */
};

struct record_source {
    void (*rewind)(struct record_source *source);
    /* The next record, or NULL at the end; valid until the next call. */
    const struct perf_event_header *(*next)(struct record_source *source);
    const struct recorded_event *events;
    size_t event_count;
};
