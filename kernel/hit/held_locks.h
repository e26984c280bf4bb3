/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spinlocks that each CPU holds and waits for, for reports. kernel/lock/spinlock.h stores them
 * on their own CPU, in task and interrupt context. Any context may read them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/local.h"

#define HELD_LOCKS_MAX 6

struct spinlock;

struct held_locks {
    uint32_t count;                   /* locks held; those past HELD_LOCKS_MAX have no entry */
    const struct spinlock *waits_for; /* NULL: none */
    /* In the order of acquisition. NULL: a lock that is being acquired or released. */
    const struct spinlock *lock[HELD_LOCKS_MAX];
};

_Static_assert(sizeof(struct held_locks) == 64, "one line of the cache a CPU");

extern struct held_locks held_locks[ARCH_CPUS_MAX];

/* Counts before storing: an interrupt in between uses the entries after this one. */
static inline void held_locks_add(const struct spinlock *lock)
{
    struct held_locks *here = &held_locks[arch_cpu_id()];
    uint32_t place = here->count;

    here->count = place + 1;
    local_barrier();
    if (place < HELD_LOCKS_MAX)
        here->lock[place] = lock;
}

/* Called by held_locks_remove for a lock that is not the last one taken. */
void held_locks_remove_inner(struct held_locks *here, const struct spinlock *lock);

static inline void held_locks_remove(const struct spinlock *lock)
{
    struct held_locks *here = &held_locks[arch_cpu_id()];
    uint32_t last = here->count - 1;

    if (last < HELD_LOCKS_MAX && here->lock[last] != lock)
        held_locks_remove_inner(here, lock);
    if (last < HELD_LOCKS_MAX)
        here->lock[last] = NULL;
    local_barrier();
    here->count = last;
}

/*
 * Returns the previous value, for held_locks_wait_over to restore: the caller may be an interrupt
 * handler that has interrupted a waiting thread.
 */
static inline const struct spinlock *held_locks_wait(const struct spinlock *lock)
{
    struct held_locks *here = &held_locks[arch_cpu_id()];
    const struct spinlock *before = here->waits_for;

    here->waits_for = lock;
    local_barrier();
    return before;
}

static inline void held_locks_wait_over(const struct spinlock *before)
{
    local_barrier();
    held_locks[arch_cpu_id()].waits_for = before;
}
