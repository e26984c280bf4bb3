/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h. */
#include "core/event/follow.h"

#include "arch/local.h"
#include "core/pitot.h"

bool task_followed[ARCH_CPUS_MAX];

/*
 * CPU time of followed threads: `sum` or, while one of them runs, the time since `from`. [owning
 * CPU; others while it is parked]
 */
static struct {
    uint64_t from, sum;
} times[ARCH_CPUS_MAX];

/* Stores the flag last: until then an NMI reads the field that does not change here. */
void pitot_follow(unsigned cpu, int followed, unsigned long now)
{
    if (followed == task_followed[cpu])
        return;
    if (followed)
        times[cpu].from = now - times[cpu].sum;
    else
        times[cpu].sum = now - times[cpu].from;
    local_barrier();
    task_followed[cpu] = followed;
}

uint64_t task_followed_ns(unsigned cpu)
{
    return task_followed[cpu] ? arch_clock_ns() - times[cpu].from : times[cpu].sum;
}
