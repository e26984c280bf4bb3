/* SPDX-License-Identifier: BSD-2-Clause */
/* See masked.h. */
#include "outside/plugin/masked.h"

#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/held.h"
#include "outside/plugin/tell.h"

#define TIMES_MOST 4096u /* pairs of places; a power of two */

static struct cpu {
    enum { NOT_KNOWN, ON, OFF } state;
    uint64_t since; /* OFF: that it began is known, or 0 */
    struct wire_place off;
} cpus[FOLLOW_CPUS];

/* A hash table with open addressing, by the two instructions; count 0: free. */
static struct wire_masked times[TIMES_MOST];
static uint32_t time_count;
static uint64_t without_room;

bool masked_are_on(unsigned cpu)
{
    return cpus[cpu].state == ON;
}

static void count_time(const struct wire_place *off, const struct wire_place *on, uint64_t length)
{
    uint32_t at = (uint32_t)((off->ip * 0x9e3779b97f4a7c15u ^ on->ip) >> 20) % TIMES_MOST;

    while (times[at].count && (times[at].off.ip != off->ip || times[at].on.ip != on->ip))
        at = (at + 1) % TIMES_MOST;
    if (times[at].count == 0 && time_count == TIMES_MOST / 2) {
        without_room++;
        return;
    }
    time_count += times[at].count++ == 0;
    if (length <= times[at].longest)
        return;
    times[at].longest = length;
    times[at].off = *off;
    times[at].on = *on;
}

void masked_set(unsigned number, bool on, const struct wire_place *place)
{
    struct cpu *cpu = &cpus[number];

    if (!on && cpu->state != OFF) {
        cpu->since = clock_time(number);
        cpu->off = *place;
    }
    if (on && cpu->state == OFF && cpu->since)
        count_time(&cpu->off, place, clock_time(number) - cpu->since);
    if (on && cpu->state != ON)
        held_opens(number, place);
    cpu->state = on ? ON : OFF;
}

void masked_reset(void)
{
    memset(cpus, 0, sizeof(cpus));
}

void masked_tell(uint64_t *lost)
{
    for (uint32_t i = 0; i < TIMES_MOST; i++)
        if (times[i].count > 0)
            tell_masked(&times[i], times[i].off.cpu);
    *lost = without_room;
}
