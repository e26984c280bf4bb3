/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk over the ring of a machine that has stopped, at whatever instruction: from the tail to
 * the head, over whole records and unfinished ones, as docs/ring.md says under "Claims, and a
 * machine that has stopped". Pure; the ring's bytes are a copy, or stand still.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

enum ring_walk_step {
    RING_WALK_RECORD,
    RING_WALK_END,
    RING_WALK_DAMAGED, /* what lies at the position is no record: the rest cannot be found */
};

struct ring_walk {
    const struct ring *ring;
    uint64_t position;
    uint64_t records;    /* whole ones so far */
    uint64_t inside;     /* ... of them those after an unfinished one */
    uint64_t unfinished; /* claims stepped over */
};

/* NULL; or what cannot be true of a ring, in words. */
const char *ring_walk_refuses(const struct ring *ring);

/* At the oldest whole record of a ring that ring_walk_refuses does not. */
void ring_walk_start(struct ring_walk *walk, const struct ring *ring);

/* Copies the next record to `to`, of RING_RECORD_MAX bytes. */
enum ring_walk_step ring_walk_next(struct ring_walk *walk, void *to);

/*
 * The account of a walk that came to the end, in overwrite mode: how far the counters may be ahead
 * of what is there is told by the writers that are under way (docs/ring.md, "The account").
 */
bool ring_walk_adds_up(const struct ring_walk *walk);
