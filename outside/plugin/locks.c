/* SPDX-License-Identifier: BSD-2-Clause */
/* See locks.h. */
#include "outside/plugin/locks.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SPINS_MOST 64 /* after that, the owner may not be running on the host */

static atomic_flag taken = ATOMIC_FLAG_INIT;
static bool several;

void locks_begin(unsigned cpus)
{
    several = cpus > 1;
}

static bool take(void)
{
    return !atomic_flag_test_and_set_explicit(&taken, memory_order_acquire);
}

__attribute__((noinline)) static void wait(void)
{
    for (unsigned spins = 0; !take(); spins++)
        if (spins > SPINS_MOST)
            sched_yield();
}

void locks_take(void)
{
    if (several && !take())
        wait();
}

void locks_give(void)
{
    if (several)
        atomic_flag_clear_explicit(&taken, memory_order_release);
}
