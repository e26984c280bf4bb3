/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every interleaving of a writer with one that interrupts it. The writer is single-stepped; at each
 * instruction the debug trap returns into a nested writer on the interrupted stack. Once the result
 * is checked, the machine is restored to that instruction for the next case. Task context.
 */
#pragma once

#include <stdint.h>

#include "tests/kernel/ring_world.h"

#define NEST_DEPTH (WORLD_WRITERS - 1) /* nested writers */

enum nest_kind {
    NEST_ONE,    /* one interrupts the outermost writer */
    NEST_DEEPER, /* ... and another one interrupts that, at each of its instructions */
    NEST_AGAIN,  /* ... or, once it has ended, the outermost one at each remaining instruction */
};

struct nest_plan {
    struct world_setup setup;
    uint32_t outermost;    /* size of its record */
    const uint32_t *sizes; /* all of these are tried for each nested writer */
    unsigned size_count;
    enum nest_kind kind;
};

/* Summed over runs. */
struct nest_count {
    uint64_t runs;
    uint64_t boundaries;    /* of instructions, at which a nested writer ran */
    uint64_t interleavings; /* that were checked; a run without a nested writer does not count */
    uint64_t wrapped, moved, dropped;
    uint64_t moments[WORLD_MOMENTS];
};

/* The first error found. */
struct nest_fault {
    const char *what; /* NULL: nothing */
    unsigned came;    /* nested writers */
    uint32_t sizes[NEST_DEPTH];
    uintptr_t at[NEST_DEPTH]; /* the instructions before which they ran */
};

/* Runs everything in the plan. Ends at an error. */
void nest_run(const struct nest_plan *plan, struct nest_count *count, struct nest_fault *fault);
