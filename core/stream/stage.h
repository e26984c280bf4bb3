/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For core/stream/; contexts as in stream.h. A record of the stream is assembled piece by piece in
 * the stage, then sent whole to the sink or to the packer (struct stream).
 */
#pragma once

#include "core/abi/perf_pipe.h"
#include "core/stream/stream.h"

/* Values for a record's trailer; the event's sample_type selects which are sent. */
struct stage_origin {
    uint32_t pid, tid;
    uint64_t time; /* 0: no time; perf then processes the record unsorted */
    uint32_t cpu;
};

/* Rounds up to a multiple of 8, as perf's records require. */
size_t stage_round_up(size_t size);

/* A record longer than the stage is sent in parts; only TRACING_DATA is that long. */
void stage_bytes(struct stream *stream, const void *bytes, size_t length);
void stage_u64(struct stream *stream, uint64_t value);
void stage_u32_pair(struct stream *stream, uint32_t first, uint32_t second);

/* Adds the string, its NUL and zeroes, `room` bytes in total. */
void stage_text(struct stream *stream, const char *text, size_t room);

struct perf_event_header stage_header_of(uint32_t type, unsigned misc, size_t size);
void stage_header(struct stream *stream, uint32_t type, unsigned misc, size_t size);

/* Sends the staged record. At the end of a recording, drops the records sent before a crash. */
void stage_end(struct stream *stream);

/*
 * For records with a `struct sample_id` (<linux/perf_event.h>) at their end, which sample_id_all
 * requires in all but samples and the perf tool's own. `size` excludes it; stage_end_with_id adds
 * it and sends the record.
 */
void stage_header_with_id(struct stream *stream, uint32_t type, unsigned misc, size_t size);
void stage_end_with_id(struct stream *stream, const struct stage_origin *origin);

/* --- The records at a recording's head (docs/stream.md gives their order). --- */

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

/* --- The body of TRACING_DATA, which describes tracepoints' fields to perf. Task context. --- */

/* True if a tracepoint event of the source has raw data, which needs a description. */
bool tracing_data_needed(const struct record_source *source);

/* Prepares the body and returns its size, a multiple of 8. `more`: see stream_begin_recording. */
size_t tracing_data_prepare(struct record_source *source, bool more);

/* Writes the prepared body, for the same source. */
void tracing_data_write(struct sink *sink, const struct record_source *source);
