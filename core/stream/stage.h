/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record of the stream is collected piece by piece in the stage, and then leaves as a whole, into
 * the sink or into the packer (struct stream). The changes that belong to it are assignments that
 * may be done twice, so that a crash can complete them: stream_recover. Called only by the files of
 * core/stream/; contexts as in stream.h.
 */
#pragma once

#include "core/abi/perf_pipe.h"
#include "core/stream/stream.h"

/* What the trailer of a record says, if the event's sample_type asks for it. */
struct stage_origin {
    uint32_t pid, tid;
    uint64_t time; /* 0: it has no time; perf takes it at once instead of sorting it in */
    uint32_t cpu;
};

/* perf's sizes are multiples of 8. */
size_t stage_round_up(size_t size);

/* A record that does not fit into the stage leaves in parts: only TRACING_DATA is that long. */
void stage_bytes(struct stream *stream, const void *bytes, size_t length);
void stage_u64(struct stream *stream, uint64_t value);
void stage_u32_pair(struct stream *stream, uint32_t first, uint32_t second);

/* The text, its NUL, and zeroes up to `room` bytes in all. */
void stage_text(struct stream *stream, const char *text, size_t room);

struct perf_event_header stage_header_of(uint32_t type, unsigned misc, size_t size);
void stage_header(struct stream *stream, uint32_t type, unsigned misc, size_t size);

/*
 * The trailer ends every record except samples and perf's own records: it is what sample_id_all
 * promises, in the order of `struct sample_id`.
 */
void stage_trailer(struct stream *stream, const struct recorded_event *event,
                   const struct stage_origin *origin);
size_t stage_trailer_size(const struct recorded_event *event);

/*
 * Ends the record that has been staged: it leaves. At the end of a recording those records that had
 * left before a crash are dropped.
 */
void stage_end(struct stream *stream);
