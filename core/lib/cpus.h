/* SPDX-License-Identifier: BSD-2-Clause */
/* All CPUs at once: parks them for a change that no CPU may see half done (docs/kernel.md). */
#pragma once

#include "arch/cpu.h"
#include "core/lib/assert.h"
#include "core/lib/refusal.h"

/*
 * Parks all other CPUs, outside of hits, until cpus_release. Meanwhile interrupts are off on this
 * CPU and no lock may be taken; code that prints must take the print guard before parking. Calls
 * nest. Returns 0, or -ETIMEDOUT and which CPU does not answer. Task context.
 */
static inline int cpus_park(struct refusal *why)
{
    unsigned absent;

    if (arch_cpus_park(&absent))
        return 0;
    return refuse(why, ETIMEDOUT, "CPU %u does not answer: nothing was changed", absent);
}

/* Like cpus_park, for changes that must not fail: panics if a CPU does not answer. */
static inline void cpus_park_surely(void)
{
    unsigned absent;
    bool parked = arch_cpus_park(&absent);

    assert(parked);
}

static inline void cpus_release(void)
{
    arch_cpus_release();
}

/* Returns the number of running CPUs. Any context. */
static inline unsigned cpus_running(void)
{
    unsigned running = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        running += arch_cpu_runs(cpu);
    return running;
}
