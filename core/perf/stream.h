/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings in perf's pipe format (core/abi/perf_pipe.h; docs/stream.md says what perf insists
 * on), byte by byte into a sink. A serial port has one stream for the whole boot: its header goes
 * out once, before the first recording. A base64 block (core/perf/base64.h) holds one recording,
 * as a stream of its own. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/perf/records.h"
#include "core/print.h"

/* What perf must know of the kernel to name its symbols. */
struct stream_kernel {
    const uint8_t *build_id; /* 20 bytes */
    uintptr_t text;          /* the symbol _text */
    size_t text_size;
    const char *arch; /* what `uname -m` would say; NULL: perf takes its own host's */
};

struct stream_task {
    uint32_t pid, tid;
    const char *comm;
};

struct stream {
    struct sink *sink;
    const struct stream_kernel *kernel;
    bool opened;        /* the pipe header has been written */
    uint64_t bytes;     /* written so far */
    uint32_t crc;       /* of them (core/perf/crc32.h) */
    uint64_t described; /* bytes of TRACING_DATA so far */
    uint64_t closed;    /* the time at which the last recording closed; 0 before the first */
};

/* What the counters of one CPU's ring said when the recording closed. */
struct stream_loss {
    uint32_t cpu;
    uint64_t dropped;     /* closes as PERF_RECORD_LOST */
    uint64_t overwritten; /* closes as PERF_RECORD_LOST_SAMPLES */
};

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel);

/*
 * Writes one whole recording: attributes, names, tasks, the source's records in order, the loss
 * records at `time`, closing rounds and a checksum; before the stream's first one also what tells
 * perf of the kernel. The source has at least one event, ids that no recording of this stream had
 * before, and PERF_SAMPLE_IDENTIFIER in every sample_type. `time` is not before any record's, and
 * no record's is before the `time` of the recording before.
 */
void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct stream_task *tasks, size_t task_count,
                            const struct stream_loss *losses, size_t loss_count, uint64_t time);
