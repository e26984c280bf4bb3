/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A writer of self-proving records that can be interrupted: where an interrupt, a debug trap or an
 * NMI could occur, a hook runs, which may write nested records. One of these places is the clock
 * that the ring reads, which is defined here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

/* Each runs once, for the next writer that reaches it, and must then be set again. */
struct writer_hooks {
    void (*claiming)(void); /* inside the claim loop, right after the clock was read */
    void (*claimed)(void);  /* before the record's bytes are written */
    void (*written)(void);  /* before the commit */
};

extern struct writer_hooks writer_hooks;

/* Writes one record; false if it was dropped. */
bool writer_put(struct ring *ring, uint32_t size);

/* An empty ring whose next record will lie at `position` (a multiple of 8). */
void writer_start_at(struct ring *ring, uint64_t position);
