/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All CPUs at once: stopping the others for a change that none may see half done, and counting
 * them. docs/smp.md has the design.
 */
#pragma once

#include "core/lib/refusal.h"

/*
 * All other CPUs stand still, none of them in the middle of a hit, until cpus_release; interrupts
 * are off here meanwhile. Between the two no lock may be taken; code that prints takes the print
 * guard before cpus_park. Calls nest. 0, or -ETIMEDOUT and which CPU does not answer. Task context.
 */
int cpus_park(struct refusal *why);
void cpus_release(void);

/* For what cannot be refused: a CPU that does not answer is a panic. */
void cpus_park_surely(void);

/* So many run. Any context. */
unsigned cpus_running(void);
