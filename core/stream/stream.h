/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes recordings in perf's pipe format (core/abi/perf_pipe.h; docs/stream.md tells what perf
 * requires), record by record, into a sink. A serial port has one stream for the whole boot: its
 * header goes out once, before the first recording. A base64 block (core/stream/base64.h) holds one
 * recording, as a stream of its own. Task context; a crash may continue from the point that the
 * task had reached.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/sample/records.h"
#include "core/stream/zstd_encoder.h"

/* What perf must know of the kernel to name its symbols, and of the machine. */
struct stream_kernel {
    const uint8_t *build_id; /* 20 bytes; NULL: none, and perf accepts any ELF file */
    uintptr_t text;          /* the address of the kernel's text */
    size_t text_size;
    const char *known;     /* a symbol at known_at; NULL: "_text", at `text` */
    uintptr_t known_at;    /* perf compares it with the address in the ELF file */
    const char *arch;      /* the output of `uname -m`; NULL: perf takes its own host's */
    const char *cpu;       /* the name that the CPUs report; NULL: not known */
    const char *cpu_kind;  /* maker, family, model, stepping, with commas; NULL: not known */
    unsigned cpus, online; /* how many there are, and how many run; 0: not known */
};

#define STREAM_STAGE 2048 /* bytes; no record of the rings is longer */

/*
 * What a stream needs to compress. Used by the stream's writer, or by a crash that takes over from
 * it.
 */
struct stream_packer {
    struct zstd zstd;
    uint64_t end_after; /* of what waits in it, when the record under way has been taken */
    struct perf_event_header header;
    uint8_t body[ZSTD_FLUSH_MAX]; /* directly after its header */
};

/*
 * Records are put together in `staged` and leave it whole, except TRACING_DATA, which is longer.
 * The changes that belong to a record are made only after it has left, by assignments that may be
 * done twice: so a crash can complete them (stream_recover).
 */
struct stream {
    struct sink *sink;
    const struct stream_kernel *kernel;
    const uint64_t *left; /* counts the bytes that have left the sink; NULL: not counted */

    struct stream_packer *packer; /* NULL: this stream cannot compress */
    bool compress;                /* compress the next recording; set by the stream's user */
    bool packs;                   /* records go into the packer, and leave it compressed */
    bool packing_told;            /* perf has been told how they are compressed */

    bool opened;        /* the pipe header has been written */
    uint64_t bytes;     /* written so far; */
    uint32_t crc;       /* ... their checksum (core/lib/crc32.h) */
    uint64_t records;   /* records of the head and after it that have left */
    uint64_t described; /* bytes of TRACING_DATA so far */
    uint64_t closed;    /* the time at which the last recording closed; 0 before the first */

    struct recorded_event first; /* of the recording: trailers follow its sample_type */
    bool ending;                 /* the end of the recording has begun */
    uint64_t end_start;          /* the value of `records` then */
    uint64_t end_put;            /* records of the end so far, whether sent or not */

    uint8_t staged[STREAM_STAGE];
    size_t staged_length;
    bool sending; /* `leaving` is being sent to the sink, since *left was left_before */
    const uint8_t *leaving;
    size_t leaving_length; /* 0: into the packer, which is sent when it is flushed */
    uint64_t left_before;
    size_t staged_after;
    uint64_t bytes_after, records_after; /* the values of `bytes` and `records` when it has left */
    uint32_t crc_after;
};

void stream_init(struct stream *stream, struct sink *sink, const struct stream_kernel *kernel);

/*
 * Gives the stream what it needs to compress recordings; only those for which `compress` is set are
 * compressed.
 */
void stream_set_packer(struct stream *stream, struct stream_packer *packer);

/*
 * Writes the head of a recording: attributes, names, formats of tracepoints, tasks; and, for the
 * first recording of a stream, the description of the kernel. The source must have at least one
 * event, ids that no earlier recording of this stream had, and PERF_SAMPLE_IDENTIFIER in every
 * sample_type. Its records are searched for the functions that need a name; if `more` records will
 * come, the names of all functions are written.
 */
void stream_begin_recording(struct stream *stream, struct record_source *source, bool more);

/* Writes a record of a ring, of at most STREAM_STAGE bytes. */
void stream_put_record(struct stream *stream, const struct perf_event_header *record);

/*
 * Writes a task's name, mapping or end. Its time is not before that of a record of an earlier
 * round.
 */
void stream_put_task(struct stream *stream, const struct recorded_task *task);

/* Sends what waits in the packer. */
void stream_flush(struct stream *stream);

/*
 * Called after each pass over all rings: perf then sorts and delivers what came before the previous
 * pass.
 */
void stream_put_round(struct stream *stream);

/*
 * Writes the end of a recording: loss records at `time`, rounds and a checksum. No record is
 * younger than `time`, and none is older than the `time` of the recording before. After
 * stream_recover it may be called again with the same arguments, and continues where it had
 * stopped.
 */
void stream_end_recording(struct stream *stream, const struct recorded_loss *losses,
                          size_t loss_count, uint64_t time);

/* Writes a whole recording at once. */
void stream_write_recording(struct stream *stream, struct record_source *source,
                            const struct recorded_task *tasks, size_t task_count,
                            const struct recorded_loss *losses, size_t loss_count, uint64_t time);

/*
 * Called in a crash that has interrupted the stream's writer, which will not run again: completes
 * the record that was being sent, or drops one that had not begun to leave. Not possible inside a
 * recording's head, as its TRACING_DATA leaves in parts. False if the bytes that have left are not
 * counted. Crash context.
 */
bool stream_recover(struct stream *stream);
