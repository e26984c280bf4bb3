/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All CPUs together: parking the others for a change that none may see half made, and counting
 * them. docs/kernel.md has the design.
 */
#pragma once

#include "core/lib/refusal.h"

/*
 * Parks all other CPUs, none of them in the middle of a hit, until cpus_release; interrupts are off
 * on this CPU meanwhile. Between the two no lock may be taken; code that prints takes the print
 * guard before cpus_park. Calls nest. 0, or -ETIMEDOUT and which CPU does not answer. Task context.
 */
int cpus_park(struct refusal *why);
void cpus_release(void);

/* For changes that cannot be refused: if a CPU does not answer, this panics. */
void cpus_park_surely(void);

/* How many CPUs run. Any context. */
unsigned cpus_running(void);
