/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes recordings in perf's pipe format (core/abi/perf_pipe.h, docs/stream.md), record by record,
 * into a sink. A serial port carries one stream for the whole boot; a base64 block is a stream with
 * one recording. Task context, or a crash that continues where the task stopped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/sample/records.h"
#include "core/stream/zstd_encoder.h"

/* Describes the machine, and the kernel, whose symbols perf then resolves. */
struct stream_kernel {
    const uint8_t *build_id; /* 20 bytes; NULL: none, and perf accepts any ELF file */
    uintptr_t text;          /* address of the kernel's text */
    size_t text_size;
    const char *known;     /* a symbol at known_at; NULL: "_text", at `text` */
    uintptr_t known_at;    /* perf compares it with the address in the ELF file */
    const char *arch;      /* the output of `uname -m`; NULL: perf assumes its host's */
    const char *cpu;       /* model name of the CPUs; NULL: unknown */
    const char *cpu_kind;  /* vendor,family,model,stepping; NULL: unknown */
    unsigned cpus, online; /* CPUs present, and CPUs running; 0: unknown */
};

#define STREAM_STAGE 2048 /* bytes; no record of the rings is longer */

/* Compression state. Used by the stream's writer, or by a crash that takes over from it. */
struct stream_packer {
    struct zstd zstd;
    uint64_t end_after; /* zstd.end once the current record has been added */
    struct perf_event_header header;
    uint8_t body[ZSTD_FLUSH_MAX]; /* directly after `header`: sent with it */
};

/*
 * Records are assembled in `staged` and sent whole, except TRACING_DATA, which is longer. State
 * changes follow the sending, as idempotent assignments that a crash can complete (stream_recover).
 */
struct stream {
    struct sink *sink;
    const struct stream_kernel *kernel;
    const uint64_t *left; /* bytes the sink has sent; NULL: not counted */

    struct stream_packer *packer; /* NULL: this stream cannot compress */
    bool compress;                /* compress the next recording; set by the stream's user */
    bool packs;                   /* records go into the packer and are sent compressed */
    bool packing_told;            /* the COMPRESSED feature has been sent */

    bool opened;        /* the pipe header has been written */
    uint64_t bytes;     /* bytes written so far */
    uint32_t crc;       /* checksum of those bytes (core/lib/crc32.h) */
    uint64_t records;   /* records sent, including those of the head */
    uint64_t described; /* bytes of TRACING_DATA so far */
    uint64_t closed;    /* when the last recording closed; 0 before the first */

    struct recorded_event first; /* the recording's first event; trailers follow its sample_type */
    bool ending;                 /* the end of the recording has begun */
    uint64_t end_start;          /* `records` when the end began */
    uint64_t end_put;            /* closing records made so far, sent or not */

    uint8_t staged[STREAM_STAGE];
    size_t staged_length;
    bool sending; /* `leaving` is being sent; *left was left_before at its start */
    const uint8_t *leaving;
    size_t leaving_length; /* 0: the record only enters the packer; the next flush sends it */
    uint64_t left_before;
    size_t staged_after;
    uint64_t bytes_after, records_after; /* `bytes` and `records` once `leaving` is sent */
    uint32_t crc_after;
};

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel);

/* Enables compression, for recordings with `compress` set. */
void stream_set_packer(struct stream *stream, struct stream_packer *packer);

/*
 * Writes the head of a recording: attributes, names, formats of tracepoints and, in the first
 * recording of a stream, the description of the kernel. The source must have at least one event,
 * ids that no earlier recording of this stream used, and PERF_SAMPLE_IDENTIFIER in every
 * sample_type. Also writes the names of the functions in its records, or, if `more` records
 * will follow, of all functions.
 */
void stream_begin_recording(struct stream *stream, struct record_source *source, bool more);

/* Writes a record from a ring, at most STREAM_STAGE bytes long. */
void stream_put_record(struct stream *stream, const struct perf_event_header *record);

/* Writes a task's name, mapping or exit. No record of an earlier round may be younger. */
void stream_put_task(struct stream *stream, const struct recorded_task *task);

/* Sends the records that wait in the packer. */
void stream_flush(struct stream *stream);

/* Called after each pass over all rings: perf delivers the records before the previous round. */
void stream_put_round(struct stream *stream);

/*
 * Writes the end of a recording: loss records at `time`, rounds and a checksum. No record may be
 * younger than `time`, or older than the previous recording's `time`. Called again with the same
 * arguments after stream_recover, it continues where it stopped.
 */
void stream_end_recording(struct stream *stream, const struct recorded_loss *losses,
                          size_t loss_count, uint64_t time);

/* Writes a whole recording at once. */
void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct recorded_task *tasks, size_t task_count,
                            const struct recorded_loss *losses, size_t loss_count, uint64_t time);

/*
 * Called in a crash, after which the stream's writer does not continue: completes the record being
 * sent, or drops the one being staged. Must not be called inside a recording's head, because
 * TRACING_DATA is sent in parts. Returns false if the bytes sent are not counted. Crash context.
 */
bool stream_recover(struct stream *stream);
