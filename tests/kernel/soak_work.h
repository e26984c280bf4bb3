/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work of tests/kernel/soak_suite.c: on each CPU a thread that writes self-proving records
 * (tests/unit/ring_payload.h) into the CPU's ring as fast as it can, interrupted by others that
 * write there too, and a reader of another CPU's ring, which checks every byte and sends the
 * writer's CPU those interrupts and NMIs. Task context of the boot thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

enum soak_level { SOAK_TASK, SOAK_INTERRUPT, SOAK_NMI, SOAK_LEVELS };

/* One CPU's ring, and the account that its writers and its reader keep beside the ring's own. */
struct soak_lane {
    struct ring ring;
    uint64_t written[SOAK_LEVELS]; /* records that were to be, by the contexts of the ring's CPU */
    uint64_t upon[SOAK_LEVELS];    /* ... that came upon an unfinished one */

    /* The reader's: */
    struct ring_reader reader;
    uint64_t records[SOAK_LEVELS];
    uint64_t bytes;    /* of records, all of them checked */
    uint64_t faults;   /* records that do not prove themselves, or are out of order of time */
    const char *fault; /* ... the first of them, */
    uint64_t at;       /* ... and its position */
    bool quiet;        /* it sends no interrupts any more */
};

/*
 * Runs until readers have checked so many bytes in all, those of each ring a fair part of them, and
 * then until nothing moves any more and all is read. False: no memory.
 */
bool soak_run(enum ring_mode mode, uint64_t bytes);

/* What the last run left of each CPU that runs. */
const struct soak_lane *soak_lane(unsigned cpu);

/* Gives its memory back. */
void soak_release(void);
