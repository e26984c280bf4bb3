/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stepper of the proof (docs/proof.md): runs work with the trap flag set, sends it interrupts
 * and NMIs, also steps through their entries and handlers, and has every chain checked. Task
 * context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/kernel/proof_chain.h"
#include "tests/kernel/proof_shadow.h"

/* How much to do: the work is run once, and again until there is enough of each. */
struct proof_plan {
    void (*work)(void);
    uint64_t steps; /* instructions to step through */
    uint64_t nmis;  /* NMIs at chosen instructions */
    uint32_t gap;   /* steps between an interrupt's end and the next one: 1 to `gap` */
    bool each;      /* check each step; otherwise the first visits of each place, and one in 64 */
};

struct proof {
    uint64_t steps;                /* instructions; iterations of string instructions apart */
    uint64_t places;               /* places with a checked first visit: see proof_visits.h */
    uint64_t iterations;           /* ... of which some are checked as well */
    uint64_t in_entries;           /* steps in a trap entry, or in code that has interrupted one */
    uint64_t interrupts_elsewhere; /* of interrupts: arrived in another thread, not stepped */
    uint64_t elsewhere;    /* steps after a switch, on another thread's stack: not checked */
    size_t longest;        /* chain */
    uint64_t raised;       /* requested interrupts */
    uint64_t interrupts;   /* ... that arrived, and were stepped through up to their iretq */
    uint64_t nmis;         /* sent to arrive at a chosen instruction */
    uint64_t nmis_served;  /* ... and arrived */
    uint64_t nmis_stepped; /* ... and were stepped through from their entry on */
    uint64_t nmis_in_entries, nmis_in_interrupts; /* of nmis */
    uint64_t exceptions;
    uint64_t ticks_raised;  /* interrupts of the CPU's timer, to their end */
    uint64_t nmis_at_watch; /* NMIs that arrived there, before the watched instruction */
    uint64_t hits_in_ticks; /* of an execute breakpoint in their handler */
    uint64_t nmis_in_step;  /* NMIs in the debug trap's own handler */
    bool nmis_failed;       /* one was sent and did not arrive */
    bool base_is_called;    /* the chain above the stepper consists of calls */
    char base[256];         /* its names, innermost first */

    struct shadow shadow;
    struct chain_tally tally[UNWIND_METHODS]; /* of each method */
    struct chain_tally excused;               /* by frame pointers, where they cannot know better */
    struct chain_tally not_stepped; /* by the table, of NMIs that arrived and were not stepped */
    uint64_t nmis_in_step_wrong;
};

/* NMIs arrive this many steps after an interrupt's first: 0, 1, 2, ... and again from 0. */
#define PROOF_NMI_PLACES 401

/* True while the work has to continue. */
bool proof_wants_more(void);

/* Called by the work: no interrupts and NMIs until it is called again. */
void proof_quiet(bool quiet);

/*
 * Steps through the work until it returns. proof_visits.h counts the visited places. NULL: this
 * machine cannot send itself interrupts, or is out of memory.
 */
const struct proof *proof_run(const struct proof_plan *plan);
