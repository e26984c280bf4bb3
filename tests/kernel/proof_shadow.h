/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shadow stack of code that is single-stepped: what its call chain must be, known from the
 * instructions that ran. A call pushes, a return takes away, a trap entry pushes what it
 * interrupted, iretq takes that away. Nothing of core/ is asked. Debug trap, from one stepper
 * at a time; start and the counts: task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/regs.h"

#define SHADOW_MOST 256 /* frames */

struct shadow {
    /* [top, SHADOW_MOST): return and interrupted addresses, innermost first */
    uint64_t chain[SHADOW_MOST];
    /* beside each where it lies on the stack; of an interrupted address the vector (below 256) */
    uintptr_t slot[SHADOW_MOST];
    size_t top;
    size_t traps;     /* that are being served */
    uintptr_t ip;     /* of the last step; 0 before the first */
    uint64_t escaped; /* frames left without a return */
    /* returns that do not go to where the call came from, and the like: the shadow is wrong */
    uint64_t broken;
    uintptr_t first_broken;
};

/* Begins with the chain of the stepper's caller. */
void shadow_start(struct shadow *shadow, const uint64_t *base, size_t length);

/*
 * After each step: takes the instruction apart that has just run. Before the first it was a call.
 * Returns the vector that an iretq has just ended, or -1.
 */
int shadow_step(struct shadow *shadow, const struct regs *regs);

/* Before the first instruction of a stub: the CPU has pushed its frame and nothing else. */
void shadow_trap(struct shadow *shadow, const struct regs *regs, unsigned vector);

/* The chain that must be found at `ip`; it stays until the next step. */
const uint64_t *shadow_chain(struct shadow *shadow, uintptr_t ip, size_t *length);

/* True if execution stands, or was interrupted, somewhere in [start, end). */
bool shadow_stands_in(const struct shadow *shadow, uintptr_t start, uintptr_t end);

/* True while a trap of that vector is being served. */
bool shadow_serves(const struct shadow *shadow, unsigned vector);
