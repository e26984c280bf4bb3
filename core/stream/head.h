/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records at the head of a recording, which describe the events, the kernel and the machine to
 * perf (docs/stream.md gives the order). Called by core/stream/stream.c; task context.
 */
#pragma once

#include "core/stream/stream.h"

/* Called first, once per stream: writes the records that perf parses without knowing an event. */
void head_open(struct stream *stream);

/* Writes the events' attributes and names, and the formats of tracepoints. */
void head_events(struct stream *stream, struct record_source *source, bool more);

/*
 * Called once per stream, after the first events: perf parses the trailer of the kernel's map by
 * their attributes, and `perf evlist` takes the first feature for the end of the attributes.
 */
void head_machine(struct stream *stream);

/* Called once per stream, before the first compressed record. */
void head_compression(struct stream *stream);
