/* SPDX-License-Identifier: BSD-2-Clause */
/* The records at a recording's head (docs/stream.md gives their order). Contexts as in stream.h. */
#pragma once

#include "core/stream/stream.h"

/* Once per stream, first: the records that perf parses without knowing an event. */
void head_open(struct stream *stream);

/* The events' attributes and names, and the formats of tracepoints. */
void head_events(struct stream *stream, struct record_source *source, bool more);

/*
 * Once per stream, after the first events: perf parses the trailer of the kernel's map by their
 * attributes, and `perf evlist` takes the first feature for the end of the attributes.
 */
void head_machine(struct stream *stream);

/* Once per stream, before the first compressed record. */
void head_compression(struct stream *stream);
