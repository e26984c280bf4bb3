/* SPDX-License-Identifier: BSD-2-Clause */
/* See audit.h. */
#include "core/breakpoint/audit.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/watch.h"

static uint64_t lapses[ARCH_CPUS_MAX]; /* [owning CPU; another while it is parked] */

static void audit(unsigned cpu)
{
    if (!arch_watch_audit(cpu))
        local_increment(&lapses[cpu]);
}

void breakpoint_audit(void)
{
    audit(arch_cpu_id());
}

void breakpoint_audit_all(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            audit(cpu);
}

uint64_t breakpoint_lapses(unsigned cpu)
{
    return local_load(&lapses[cpu]);
}
