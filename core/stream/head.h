/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records at the head of a recording: what perf must know of the events, of the kernel and of
 * the machine (docs/stream.md gives the order). Called by core/stream/stream.c; task context.
 */
#pragma once

#include "core/stream/stream.h"

/* Called once for a stream, first: what can be understood without an event. */
void head_open(struct stream *stream);

/* Each event's attributes and name, and the formats of tracepoints. */
void head_events(struct stream *stream, struct record_source *source, bool more);

/*
 * Once for a stream, after the first events: perf reads the kernel's map by their trailer, and
 * `perf evlist` takes the first feature for the end of the attributes.
 */
void head_machine(struct stream *stream);

/* Once for a stream, before the first record that is compressed. */
void head_compression(struct stream *stream);
