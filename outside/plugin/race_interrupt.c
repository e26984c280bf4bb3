/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h: races with handlers. */
#include "outside/plugin/race.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"

#define EXPECTED 32u /* accesses after a stop within which an interrupt comes */

static struct cpu {
    _Alignas(64) uint32_t expected; /* accesses that are left until none is waited for */
    bool inside;                    /* the handler of one that was waited for runs */
    bool handles;                   /* some handler does */
} * cpus;

bool race_interrupt_begin(unsigned count)
{
    cpus = aligned_alloc(_Alignof(struct cpu), count * sizeof(*cpus));
    if (cpus)
        memset(cpus, 0, count * sizeof(*cpus));
    return cpus;
}

bool race_interrupt_handles(unsigned cpu)
{
    return cpus[cpu].handles;
}

bool race_interrupt_waits(unsigned cpu)
{
    return cpus[cpu].expected > 0;
}

void race_interrupt_access(unsigned cpu, const struct race_access *access)
{
    cpus[cpu].expected--;
    if (race_meet_is_own(cpu, access))
        cpus[cpu].expected = 0;
}

void race_interrupt_opens(unsigned cpu)
{
    cpus[cpu].expected = 0;
}

void race_interrupt_expect(unsigned cpu)
{
    cpus[cpu].expected = cpus[cpu].handles ? 0 : EXPECTED;
}

void race_interrupt_comes(unsigned cpu, bool device)
{
    struct cpu *me = &cpus[cpu];

    if (device && me->expected) {
        race_report_interrupt();
        race_meet_interrupt(cpu);
        me->inside = true;
    }
    me->expected = 0;
    me->handles = true;
}

void race_interrupt_switches(unsigned cpu)
{
    struct cpu *me = &cpus[cpu];

    me->handles = context_interrupts(follow_context(cpu)) > 0;
    if (me->expected && !race_meet_is_at(cpu))
        me->expected = 0;
    if (!me->inside || race_meet_is_within(cpu))
        return;
    race_meet_return(cpu);
    me->inside = false;
}
