/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One small ring, its writers, and the check of what they leave, for tests/kernel/ring_nest.c. All
 * that the writers change lies in one block that is saved and restored, so that a run can be
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
    enum world_form nested_form; /* all other writers' */
    uint32_t old;                /* size of the records that the tail moves over */
    uint32_t reach;              /* so many bytes of them; what follows is long records */
    uint32_t to_end;             /* from the head to the ring's end: 8 to WORLD_SIZE */
    uint32_t room;               /* bytes that are free: 0 to WORLD_SIZE - reach */
};

/* A ring with old records, and no writer. */
void world_start(const struct world_setup *setup);

/* What is now goes to, or comes from, memory of its own for each depth, 0 to WORLD_WRITERS - 2. */
void world_save(unsigned depth);
void world_restore(unsigned depth);

/* How long the record of this writer will be. */
void world_set_size(unsigned writer, uint32_t size);

/* Writes one record. */
void world_write(unsigned writer);

/* From before the writer's call of a function of the ring until after its return. */
bool world_in_ring(unsigned writer);

/* What a debugger finds that stops the machine here. */
struct world_view {
    uint64_t unfinished;
    uint64_t missing; /* records that were to be written and are not accounted for yet */
};

/* NULL, or what is wrong. */
const char *world_view(struct world_view *view);

/* The state that an intruder comes upon; for showing that it came everywhere. */
enum world_moment {
    WORLD_PENDING,   /* a place is being chosen */
    WORLD_NOTED,     /* the claim is noted and not made */
    WORLD_CLAIMED,   /* the claim is made, the record unfinished */
    WORLD_UNCOUNTED, /* the tail was moved, the account does not know */
    WORLD_PUBLISHED, /* published, and the writer is still there */
    WORLD_MOMENTS,
};

bool world_is_in(enum world_moment moment, const struct world_view *view);

/* What the writers that ran did, once all are done. */
struct world_deeds {
    bool wrapped; /* a record lies across the ring's end */
    bool moved;   /* the tail moved */
    bool dropped; /* a record was dropped */
};

/*
 * When all writers are done: NULL, or what is wrong with any byte, field, order or count, or with
 * how much was given up.
 */
const char *world_fault(struct world_deeds *deeds);
