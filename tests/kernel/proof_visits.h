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

/* Forgets all visits. False: there is no memory for them. */
bool visits_start(void);

/* One visit. Returns how many that makes, in this state; 255 for that many, or more. */
unsigned visits_add(size_t traps, uintptr_t ip);

/* Instructions that were visited; and how many that is if each state counts. */
uint64_t visits_addresses(void);
uint64_t visits_places(void);

bool visits_were_at(uintptr_t ip);
