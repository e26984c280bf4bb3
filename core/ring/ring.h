/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU's flight recorder: a byte ring of records with perf's own headers, so that a dump is a
 * copy. Writers are the nested contexts of the owning CPU (task < interrupt < debug trap < NMI);
 * readers may be anywhere. docs/ring.md gives the reasons.
 *
 * A writer keeps preemption off from choosing the ring until it has committed the record, so that
 * writers nest strictly; each claim is followed by its commit. Writers never lock, allocate, fault
 * or wait: a record that does not fit is dropped and counted. With writers stopped:
 *
 *     produced == readable + overwritten + dropped   (records; in normal mode readable includes
 *                                                     consumed ones)
 *
 * Who may write a field:
 *   [I] only ring_init; constant afterwards
 *   [W] only the owning CPU's writers
 *   [R] the reader in normal mode, the owning CPU's writers in overwrite mode
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "core/lib/refusal.h"

#define RING_NESTING    4 /* task, interrupt, debug trap, NMI */
#define RING_SIZE_MIN   4096u
#define RING_SIZE_MAX   (1u << 30)
#define RING_RECORD_MAX 65528u /* the header's size field has 16 bits */

enum ring_mode {
    RING_NORMAL,    /* when full, new records are dropped until the reader moves the tail */
    RING_OVERWRITE, /* when full, the writer moves the tail over the oldest records */
};

/*
 * The bytes that a writer is claiming or filling. They are noted before the claim takes effect, so
 * that a stopped machine shows which bytes are unfinished. There is no claim if the size is below 8
 * or the offset is no position. A claim is void if a deeper level noted the same offset: that level
 * has won the place.
 */
struct ring_claim {
    uint64_t offset; /* [W] UINT64_MAX: the place is being chosen */
    uint64_t size;   /* [W] 0: none, or voided by a deeper level */
};

struct ring {
    uint8_t *bytes;      /* [I] size bytes, 8-byte aligned */
    uint64_t size;       /* [I] a power of two */
    uint64_t mask;       /* [I] size - 1 */
    enum ring_mode mode; /* [I] */

    uint64_t head;      /* [W] claimed up to here; positions count bytes and never wrap */
    uint64_t published; /* [W] whole records up to here */
    uint64_t tail;      /* [R] the oldest record */
    uint64_t nest;      /* [W] active writers */
    struct ring_claim claims[RING_NESTING]; /* [W] by nesting level, outermost first */

    uint64_t produced;    /* [W] records that writers tried to write */
    uint64_t dropped;     /* [W] ... that were dropped */
    uint64_t overwritten; /* [W] ... that newer records have replaced */
};

/*
 * Sets up an empty ring. -EINVAL: size not a power of two or out of range, memory not 8-byte
 * aligned, or `reader_owns_tail` with RING_OVERWRITE, where the writer moves the tail.
 */
int ring_init(struct ring *ring, void *memory, uint64_t size, enum ring_mode mode,
              bool reader_owns_tail, struct refusal *why);

/*
 * Writes a finished record of `size` bytes (a multiple of 8, 8 to RING_RECORD_MAX), or drops and
 * counts it. `time` points into `bytes` and receives the clock, read inside the claim; undefined if
 * the record is dropped. Any context of the owning CPU. Samples are built in the ring itself
 * (core/ring/claim.h).
 */
void ring_output(struct ring *ring, const void *bytes, uint32_t size, uint64_t *time);

/*
 * A reader, on any CPU, of a ring that is being written. ring_reader_start sets `position` to the
 * oldest record. ring_read copies the next whole record to `to` (`room`: the largest record
 * written, at most RING_RECORD_MAX) and advances.
 */
struct ring_reader {
    const struct ring *ring;
    uint64_t position;
    uint64_t skipped; /* bytes overwritten before they were read, or after a damaged header */
};

enum ring_read_result { RING_READ_RECORD, RING_READ_EMPTY, RING_READ_TOO_LARGE };

void ring_reader_start(struct ring_reader *reader, const struct ring *ring);
enum ring_read_result ring_read(struct ring_reader *reader, void *to, size_t room);

/* Returns the bytes before reader->position to the writers. Only in normal mode. */
void ring_consume(struct ring *ring, const struct ring_reader *reader);

/*
 * A walk of the ring of a machine that stopped at an arbitrary instruction, from the tail to the
 * head, over whole and unfinished records (docs/ring.md, "Claims, and a machine that has stopped").
 * Called by tools/postmortem and core/recording/last.c. Pure; the ring must not change.
 */
enum ring_walk_step {
    RING_WALK_RECORD,
    RING_WALK_END,
    RING_WALK_DAMAGED, /* no record at the position: the rest cannot be found */
};

struct ring_walk {
    const struct ring *ring;
    uint64_t position;
    uint64_t records;    /* whole records so far */
    uint64_t inside;     /* ... that follow an unfinished one */
    uint64_t unfinished; /* unfinished records skipped */
};

/* Returns NULL if the ring is plausible; otherwise what is wrong with it. */
const char *ring_walk_refuses(const struct ring *ring);

/* Starts at the oldest record of a ring that ring_walk_refuses accepts. */
void ring_walk_start(struct ring_walk *walk, const struct ring *ring);

/* Copies the next record to `to`, a buffer of RING_RECORD_MAX bytes. */
enum ring_walk_step ring_walk_next(struct ring_walk *walk, void *to);

/*
 * True if the counters match a completed walk, in overwrite mode. They may be ahead of the records
 * by the number of active writers (docs/ring.md, "The account").
 */
bool ring_walk_adds_up(const struct ring_walk *walk);
