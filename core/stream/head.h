/* SPDX-License-Identifier: BSD-2-Clause */
/* The records at a recording's head (docs/stream.md gives their order). Contexts as in stream.h. */
#pragma once

#include "core/stream/stream.h"

/* Writes the records that perf parses without knowing an event. Called first, once per stream. */
void head_open(struct stream *stream);

/* Writes the events' attributes and names, and the formats of tracepoints. */
void head_events(struct stream *stream, struct record_source *source, bool more);

/*
 * Writes the features and the kernel's map. Called once per stream, after the first events: perf
 * parses the map's trailer by their attributes, and `perf evlist` reads attributes only up to the
 * first feature.
 */
void head_machine(struct stream *stream);

/* Writes the feature COMPRESSED. Called once per stream, before the first compressed record. */
void head_compression(struct stream *stream);
