/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often the stepper of the proof has reached each instruction, counted separately for each
 * depth of traps, because the same address has different chains in a thread, in a handler, and in
 * an NMI. Counted in the debug trap, made and read in task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VISITS_STATES 4 /* no trap, one, two, more */

/* Clears all counts. False: out of memory. */
bool visits_start(void);

/* Counts a visit. Returns the visits so far in this state, at most 255. */
unsigned visits_add(size_t traps, uintptr_t ip);

/* Instructions that were visited; and places, which count each state separately. */
uint64_t visits_addresses(void);
uint64_t visits_places(void);

bool visits_were_at(uintptr_t ip);
