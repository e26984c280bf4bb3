/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shadow stack of single-stepped code: what its call chain must be, derived from the
 * instructions that ran. A call pushes, a return pops, a trap entry pushes what it interrupted,
 * iretq pops that. It uses nothing of core/. Debug trap, from one stepper at a time; start and the
 * counts: task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"

#define SHADOW_MOST 256 /* frames */

struct shadow {
    /* [top, SHADOW_MOST): return and interrupted addresses, innermost first */
    uint64_t chain[SHADOW_MOST];
    /* for each its place on the stack; for an interrupted address the vector (below 256) */
    uintptr_t slot[SHADOW_MOST];
    size_t top;
    size_t traps;     /* being served */
    uintptr_t ip;     /* of the last step; 0 before the first */
    uint64_t escaped; /* frames left without a return */
    /* returns to a place other than the caller's, and the like: the shadow is wrong */
    uint64_t broken;
    uintptr_t first_broken;
};

/* Begins with the chain of the stepper's caller. */
void shadow_start(struct shadow *shadow, const uint64_t *base, size_t length);

/*
 * Called after each step: decodes the instruction that has just run; before the first step it was a
 * call. Returns the vector of the trap that an iretq has just ended, or -1.
 */
int shadow_step(struct shadow *shadow, const struct regs *regs);

/* Called before a stub's first instruction: the CPU has pushed only its frame. */
void shadow_trap(struct shadow *shadow, const struct regs *regs, unsigned vector);

/* The expected chain at `ip`, valid until the next step. */
const uint64_t *shadow_chain(struct shadow *shadow, uintptr_t ip, size_t *length);

/* True if execution is, or was interrupted, in [start, end). */
bool shadow_stands_in(const struct shadow *shadow, uintptr_t start, uintptr_t end);

/* True while a trap of that vector is being served. */
bool shadow_serves(const struct shadow *shadow, unsigned vector);
