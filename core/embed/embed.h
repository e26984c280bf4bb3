/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share: Pitot as another kernel calls it (core/pitot.h). */
#pragma once

#include <stddef.h>

#include "core/event/event.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"

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
