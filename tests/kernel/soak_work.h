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

/* One CPU's ring, and the counts that its writers and its reader keep besides the ring's own. */
struct soak_lane {
    struct ring ring;
    uint64_t written[SOAK_LEVELS]; /* records that were attempted, by contexts of the ring's CPU */
    uint64_t upon[SOAK_LEVELS];    /* ... that interrupted an unfinished one */

    /* The reader's: */
    struct ring_reader reader;
    uint64_t records[SOAK_LEVELS];
    uint64_t bytes;    /* of records, all checked */
    uint64_t faults;   /* records that do not prove themselves, or are out of time order */
    const char *fault; /* ... the first of them, */
    uint64_t at;       /* ... and its position */
    bool quiet;        /* it no longer sends interrupts */
};

/*
 * Runs until readers have checked so many bytes in total, with a fair share of each ring, and then
 * until nothing changes any more and everything is read. False: out of memory.
 */
bool soak_run(enum ring_mode mode, uint64_t bytes);

/* The last run's results for each running CPU. */
const struct soak_lane *soak_lane(unsigned cpu);

/* Frees its memory. */
void soak_release(void);
