/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One small ring, its writers, and the check of their results, for tests/kernel/ring_nest.c.
 * Everything the writers change is in one block that is saved and restored, so that a run can be
 * resumed from one moment many times. World functions run in task context with interrupts off, in
 * the debug trap, and on top of an interrupted writer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

#define WORLD_SIZE    4096u /* of the ring */
#define WORLD_WRITERS 3     /* the outermost, one nested in it, one nested in that */

enum world_form {
    WORLD_OUTPUT, /* ring_output */
    WORLD_SAMPLE, /* sample_write; of PAYLOAD_SAMPLE bytes or a word more */
    WORLD_PARTS,  /* ring_reserve, ring_write, ring_commit */
};

struct world_setup {
    enum ring_mode mode;
    enum world_form form;        /* the outermost writer's */
    enum world_form nested_form; /* of all other writers */
    uint32_t old;                /* size of the old records that the tail moves over */
    uint32_t reach;              /* this many bytes of them, followed by long records */
    uint32_t to_end;             /* from the head to the ring's end: 8 to WORLD_SIZE */
    uint32_t room;               /* free bytes: 0 to WORLD_SIZE - reach */
};

/* A ring with old records, and no active writer. */
void world_start(const struct world_setup *setup);

/*
 * Saves or restores the current state, in separate memory for each depth, 0 to WORLD_WRITERS - 2.
 */
void world_save(unsigned depth);
void world_restore(unsigned depth);

/* Sets the length of this writer's record. */
void world_set_size(unsigned writer, uint32_t size);

/* Writes one record. */
void world_write(unsigned writer);

/* True from before the writer's call of a ring function until after its return. */
bool world_in_ring(unsigned writer);

/* What a debugger finds if it stops the machine here. */
struct world_view {
    uint64_t unfinished;
    uint64_t missing; /* records that are being written and not yet accounted for */
};

/* NULL, or what is wrong. */
const char *world_view(struct world_view *view);

/* The state in which an intruder finds the writer, to show that all were reached. */
enum world_moment {
    WORLD_PENDING,   /* a place is being chosen */
    WORLD_NOTED,     /* the claim is noted and not made */
    WORLD_CLAIMED,   /* the claim is made, the record unfinished */
    WORLD_UNCOUNTED, /* the tail was moved but not yet counted */
    WORLD_PUBLISHED, /* published, and the writer has not yet left */
    WORLD_MOMENTS,
};

bool world_is_in(enum world_moment moment, const struct world_view *view);

/* What the writers did, once all are done. */
struct world_deeds {
    bool wrapped; /* a record lies across the ring's end */
    bool moved;   /* the tail moved */
    bool dropped; /* a record was dropped */
};

/*
 * Once all writers are done: NULL, or what is wrong with any byte, field, order or count, or with
 * the number of records given up.
 */
const char *world_fault(struct world_deeds *deeds);
