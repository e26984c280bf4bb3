/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stepper of the proof: runs work with the trap flag set, sends it interrupts and NMIs, steps
 * through their entries and handlers too, and has every chain checked. docs/proof.md. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/kernel/proof_chain.h"
#include "tests/kernel/proof_shadow.h"

struct proof {
    uint64_t steps;                /* instructions; iterations of string instructions apart */
    uint64_t iterations;           /* ... which are checked as well */
    uint64_t distinct;             /* addresses of instructions */
    uint64_t in_entries;           /* steps that stand in a trap entry, or have interrupted one */
    uint64_t interrupts_elsewhere; /* of interrupts: came upon another thread, not stepped */
    uint64_t elsewhere;    /* steps behind a switch, on another thread's stack: not checked */
    size_t longest;        /* chain */
    uint64_t raised;       /* interrupts that were asked for */
    uint64_t interrupts;   /* ... that came, and were stepped through up to their iretq */
    uint64_t nmis;         /* that were sent to come at a chosen instruction */
    uint64_t nmis_served;  /* ... and came */
    uint64_t nmis_stepped; /* ... and were stepped through from their entry on */
    uint64_t nmis_in_entries, nmis_in_interrupts; /* of nmis */
    uint64_t exceptions;
    uint64_t hits_in_interrupts; /* of an execute breakpoint in a handler */
    uint64_t nmis_in_step;       /* NMIs in the debug trap's own handler */
    bool nmis_failed;            /* one was sent and did not come */
    bool base_is_called;         /* the chain above the stepper is one of calls */
    char base[256];              /* its names, innermost first */

    struct shadow shadow;
    struct chain_tally tally[UNWIND_METHODS]; /* of each method */
    struct chain_tally excused;               /* by frame pointers, where they cannot know better */
    struct chain_tally not_stepped; /* by the table, of NMIs that came and were not stepped */
    uint64_t nmis_in_step_wrong;
};

/* True while the work has to go on. */
bool proof_wants_more(void);

/* From the work: no interrupts and no NMIs until it is called again. */
void proof_quiet(bool quiet);

/* Steps through `work` until it returns. NULL: this machine cannot send itself interrupts. */
const struct proof *proof_run(void (*work)(void), uint64_t steps);

/* Of the last run: the instruction at `address` was stepped through. */
bool proof_stepped(uintptr_t address);
