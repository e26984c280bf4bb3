/* SPDX-License-Identifier: BSD-2-Clause */
/* See locks.h. */
#include "outside/plugin/locks.h"

#include <sched.h>
#include <stdatomic.h>

#include "outside/plugin/follow.h"

#define LINE       64 /* bytes of a cache line */
#define SPINS_MOST 64 /* after that, the owner may not be running on the host */

struct lock {
    _Alignas(LINE) atomic_flag taken;
};

static struct lock first, own[FOLLOW_CPUS];
static unsigned count; /* 0: only one CPU */

static void take(struct lock *lock)
{
    unsigned spins = 0;

    while (atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire))
        if (++spins > SPINS_MOST)
            sched_yield();
}

static void give(struct lock *lock)
{
    atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

void locks_begin(unsigned cpus)
{
    count = cpus > 1 ? cpus : 0;
}

void locks_take_own(unsigned cpu)
{
    if (count)
        take(&own[cpu]);
}

void locks_give_own(unsigned cpu)
{
    if (count)
        give(&own[cpu]);
}

void locks_take_all(void)
{
    if (count)
        take(&first);
    for (unsigned cpu = 0; cpu < count; cpu++)
        take(&own[cpu]);
}

void locks_give_all(void)
{
    for (unsigned cpu = 0; cpu < count; cpu++)
        give(&own[cpu]);
    if (count)
        give(&first);
}
