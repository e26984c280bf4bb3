/* SPDX-License-Identifier: BSD-2-Clause */
/* All CPUs at once: parks them for a change that no CPU may see half done (docs/kernel.md). */
#pragma once

#include "core/lib/refusal.h"

/*
 * Parks all other CPUs, outside of hits, until cpus_release. Meanwhile interrupts are off on this
 * CPU and no lock may be taken; code that prints must take the print guard before parking. Calls
 * nest. Returns 0, or -ETIMEDOUT and which CPU does not answer. Task context.
 */
int cpus_park(struct refusal *why);
void cpus_release(void);

/* Like cpus_park, for changes that must not fail: panics if a CPU does not answer. */
void cpus_park_surely(void);

/* Returns the number of running CPUs. Any context. */
unsigned cpus_running(void);
