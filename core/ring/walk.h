/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks the ring of a machine that stopped at an arbitrary instruction, from the tail to the head,
 * over whole and unfinished records (docs/ring.md, "Claims, and a machine that has stopped").
 * Called by tools/postmortem and core/recording/last.c. Pure; the ring must not change.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

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
