/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings in perf's pipe format (core/abi/perf_pipe.h; docs/stream.md says what perf insists
 * on), record by record into a sink. A serial port has one stream for the whole boot: its header
 * goes out once, before the first recording. A base64 block (core/stream/base64.h) holds one
 * recording, as a stream of its own. Task context; a crash may continue from wherever the task was.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/sample/records.h"
#include "core/zstd/encoder.h"

/* What perf must know of the kernel to name its symbols, and of the machine. */
struct stream_kernel {
    const uint8_t *build_id; /* 20 bytes; NULL: none, and perf believes any ELF file */
    uintptr_t text;          /* where the kernel's text begins */
    size_t text_size;
    const char *known;     /* a symbol that stands at known_at; NULL: "_text", at `text` */
    uintptr_t known_at;    /* perf holds it against the ELF file's */
    const char *arch;      /* what `uname -m` would say; NULL: perf takes its own host's */
    const char *cpu;       /* what the CPUs call themselves; NULL: not known */
    const char *cpu_kind;  /* maker, family, model, stepping, with commas; NULL: not known */
    unsigned cpus, online; /* how many there are, and how many run; 0: not known */
};

#define STREAM_STAGE 2048 /* bytes; no record of the rings is longer */

/* What a stream needs to compress. Its writer's, or a crash's upon it. */
struct stream_packer {
    struct zstd zstd;
    uint64_t end_after; /* of what waits in it, when the record under way has been taken */
    struct perf_event_header header;
    uint8_t body[ZSTD_FLUSH_MAX]; /* right behind its header */
};

/*
 * Records are put together in `staged` and leave it whole, but for TRACING_DATA, which is longer.
 * What a record changes takes effect only when it has left, by assignments that may be done twice:
 * so a crash can complete what was under way (stream_recover).
 */
struct stream {
    struct sink *sink;
    const struct stream_kernel *kernel;
    const uint64_t *left; /* counts the bytes that have left the sink; NULL: not counted */

    struct stream_packer *packer; /* NULL: this stream cannot compress */
    bool compress;                /* the next recording is to be: its user's */
    bool packs;                   /* records wait in the packer, and leave it compressed */
    bool packing_told;            /* perf knows how */

    bool opened;        /* the pipe header has been written */
    uint64_t bytes;     /* written so far */
    uint32_t crc;       /* of them (core/lib/crc32.h) */
    uint64_t records;   /* of the head and what follows it, each once it has left */
    uint64_t described; /* bytes of TRACING_DATA so far */
    uint64_t closed;    /* the time at which the last recording closed; 0 before the first */

    struct recorded_event first; /* of the recording: the trailers have its sample_type */
    bool ending;                 /* the recording's end has begun */
    uint64_t end_start;          /* `records` when that began */
    uint64_t end_put;            /* records of the end that were put, sent or not */

    uint8_t staged[STREAM_STAGE];
    size_t staged_length;
    bool sending; /* `leaving` is on its way into the sink, from when *left was left_before */
    const uint8_t *leaving;
    size_t leaving_length; /* 0: into the packer, which leaves when it is flushed */
    uint64_t left_before;
    size_t staged_after;
    uint64_t bytes_after, records_after; /* what holds when it has left */
    uint32_t crc_after;
};

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel);

/* Gives it what it needs to compress those recordings before which `compress` is set. */
void stream_set_packer(struct stream *stream, struct stream_packer *packer);

/*
 * The head of a recording: attributes, names, what tracepoints look like, tasks; before the
 * stream's first one also what tells perf of the kernel. The source has at least one event, ids
 * that no recording of this stream had before, and PERF_SAMPLE_IDENTIFIER in every sample_type. Its
 * records are looked at for the functions that are to be named; where `more` will come, the names
 * of all functions go along.
 */
void stream_begin_recording(struct stream *stream, struct record_source *source, bool more);

/* A record of a ring, of at most STREAM_STAGE bytes. */
void stream_put_record(struct stream *stream, const struct perf_event_header *record);

/* A task's name, mapping or end, not before a record of an earlier round. */
void stream_put_task(struct stream *stream, const struct recorded_task *task);

/* What waits in the packer leaves. */
void stream_flush(struct stream *stream);

/* After each pass over all rings: perf sorts and delivers what came before the previous one. */
void stream_put_round(struct stream *stream);

/*
 * The end of a recording: loss records at `time`, rounds and a checksum. `time` is not before any
 * record's, and no record's is before the `time` of the recording before. After stream_recover it
 * may be called once more, with the same arguments, and continues where it was.
 */
void stream_end_recording(struct stream *stream, const struct recorded_loss *losses,
                          size_t loss_count, uint64_t time);

/* All of it at once. */
void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct recorded_task *tasks, size_t task_count,
                            const struct recorded_loss *losses, size_t loss_count, uint64_t time);

/*
 * A crash came upon the stream's writer, which will not run again: completes the record that was on
 * its way out, or drops what had not begun to leave. Not inside a recording's head, whose
 * TRACING_DATA leaves in parts. False if what has left is not counted. Crash context.
 */
bool stream_recover(struct stream *stream);
