/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share: Pitot as another kernel calls it (core/pitot.h). */
#pragma once

#include <stddef.h>

#include "core/event/event.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"
#include "core/stream/stream.h"

#define EMBED_EVENTS_MAX 8

/* What pitot_start was asked for. */
struct embed_options {
    struct event_spec event[EMBED_EVENTS_MAX];
    size_t count;
    uint64_t period; /* 0: not said */
    bool chains;
};

/* 0, or a negative errno and the reason. Task context. */
int embed_options_parse(const char *text, struct embed_options *options, struct refusal *why);

/* Fills in what the kernel's tracepoints leave out. -EINVAL: its linker script drops them. Boot. */
int embed_tracepoints_init(struct refusal *why);

/* The threads that have names, for the stream. Task context. */
const struct recorded_task *embed_threads(size_t *count);

/* The name of that thread; NULL: it has none. Any context. */
const char *embed_thread_name(uint32_t pid);

/* Is told of each name, if there is a recording that wants it. Set in task context. */
extern void (*embed_named)(uint32_t pid, const char *name);

/* The console's commands have a host from here on. Once, in task context. */
void embed_host_set(void);

/* pitot_init has gone well. */
bool embed_ready(void);

/*
 * Where recordings go; the first is called once, by pitot_init. `sink` and `kernel` stay. Task
 * context.
 */
struct stream *embed_stream_open(struct sink *sink, const struct stream_kernel *kernel);
struct stream *embed_stream(void);
