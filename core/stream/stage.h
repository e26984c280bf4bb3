/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembles a record of the stream piece by piece in the stage, then sends it whole to the sink or
 * to the packer (struct stream). The state changes that go with a record are idempotent
 * assignments, so that a crash can complete them (stream_recover). Called only by the files of
 * core/stream/; contexts as in stream.h.
 */
#pragma once

#include "core/abi/perf_pipe.h"
#include "core/stream/stream.h"

/* Contents of a record's trailer, as selected by the event's sample_type. */
struct stage_origin {
    uint32_t pid, tid;
    uint64_t time; /* 0: none; perf then processes the record at once instead of sorting it */
    uint32_t cpu;
};

/* Rounds up to a multiple of 8, as all sizes in perf's records are. */
size_t stage_round_up(size_t size);

/* A record longer than the stage is sent in parts; only TRACING_DATA is that long. */
void stage_bytes(struct stream *stream, const void *bytes, size_t length);
void stage_u64(struct stream *stream, uint64_t value);
void stage_u32_pair(struct stream *stream, uint32_t first, uint32_t second);

/* Adds the string, its NUL and zeroes, `room` bytes in total. */
void stage_text(struct stream *stream, const char *text, size_t room);

struct perf_event_header stage_header_of(uint32_t type, unsigned misc, size_t size);
void stage_header(struct stream *stream, uint32_t type, unsigned misc, size_t size);

/*
 * Adds the trailer that sample_id_all requires, in the order of `struct sample_id`. It ends every
 * record except samples and the perf tool's own records.
 */
void stage_trailer(struct stream *stream, const struct recorded_event *event,
                   const struct stage_origin *origin);
size_t stage_trailer_size(const struct recorded_event *event);

/*
 * Ends the staged record and sends it. At the end of a recording, records that were sent before a
 * crash are dropped.
 */
void stage_end(struct stream *stream);
