/* SPDX-License-Identifier: BSD-2-Clause */
/* See cpus.h. */
#include "core/lib/cpus.h"

#include "arch/cpu.h"
#include "core/lib/assert.h"

int cpus_park(struct refusal *why)
{
    unsigned absent;

    if (arch_cpus_park(&absent))
        return 0;
    return refuse(why, ETIMEDOUT, "CPU %u does not answer: nothing was changed", absent);
}

void cpus_park_surely(void)
{
    unsigned absent;
    bool parked = arch_cpus_park(&absent);

    assert(parked);
}

void cpus_release(void)
{
    arch_cpus_release();
}

unsigned cpus_running(void)
{
    unsigned running = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        running += arch_cpu_runs(cpu);
    return running;
}
