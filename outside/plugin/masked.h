/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether each CPU has interrupts on, from the instructions that decide it (cli, sti, popf, iret)
 * and from the flags at a handler's first instruction; and the longest times without. Called by
 * run.c, with the plugin's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

#define MASKED_FLAG 0x200u /* IF, of rflags */

/* They are on from now on, or off; told at `place`. */
void masked_set(unsigned cpu, bool on, const struct wire_place *place);

/* True if they are known to be on. */
bool masked_are_on(unsigned cpu);

/* The machine was reset. */
void masked_reset(void);

/* At the end; counts the places that had no room. */
void masked_tell(uint64_t *lost);
