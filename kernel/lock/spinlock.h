/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ticket spinlock: CPUs acquire it in the order of their requests. It is for short sections. A
 * lock that an interrupt handler takes must be taken with interrupts off everywhere
 * (spinlock_acquire_irq); otherwise the handler could wait for the task that it interrupted. Debug
 * traps and NMIs must not take spinlocks. The holder must not sleep.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/pitot.h"
#include "kernel/sched/preempt.h"

/*
 * Tracepoints of all locks: contention_begin and contention_end enclose the wait for a contended
 * lock. They are hit in any context that takes locks; recording them takes none.
 */
PITOT_TRACEPOINT_DECLARE(lock_acquire, 2);
PITOT_TRACEPOINT_DECLARE(lock_acquired, 2);
PITOT_TRACEPOINT_DECLARE(lock_release, 2);
PITOT_TRACEPOINT_DECLARE(lock_contended, 2);
PITOT_TRACEPOINT_DECLARE(contention_begin, 3);
PITOT_TRACEPOINT_DECLARE(contention_end, 3);

/* The kind of wait: Linux's LCB_F_SPIN or LCB_F_MUTEX. */
#define LOCK_WAIT_SPINS  0x01u
#define LOCK_WAIT_SLEEPS 0x20u

/* All zero: free. Tickets wrap around, which is harmless with fewer than 2^32 CPUs. */
struct spinlock {
    uint32_t next;    /* ticket of the next request; increased by any CPU, atomically */
    uint32_t serving; /* ticket that holds the lock; stored only by the holder */
    const char *name; /* for tracepoints; NULL: none */
};

/*
 * --- The spinlocks that each CPU holds and waits for, for reports. Stored on their own CPU, in
 * task and interrupt context. Any context may read them. ---
 */

#define HELD_LOCKS_MAX 6

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

/* --- Taking a lock. --- */

/* always_inline, here and below, so that a lock event's call chain begins with the caller. */
__attribute__((always_inline)) static inline void spinlock_wait(const struct spinlock *lock,
                                                                uint32_t ticket)
{
    const struct spinlock *before = held_locks_wait(lock);

    PITOT_TRACE(lock_contended, lock, lock->name);
    PITOT_TRACE(contention_begin, lock, lock->name, LOCK_WAIT_SPINS);
    /* A, with spinlock_pass_on, as in spinlock_acquire. */
    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        arch_relax();
    held_locks_wait_over(before);
    PITOT_TRACE(contention_end, lock, lock->name, 0);
}

__attribute__((always_inline)) static inline void spinlock_acquire(struct spinlock *lock)
{
    uint32_t ticket;

    PITOT_TRACE(lock_acquire, lock, lock->name);
    preempt_off();
    ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    /* A, with spinlock_pass_on: the previous holder's stores are visible. */
    if (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        spinlock_wait(lock, ticket);
    held_locks_add(lock);
    PITOT_TRACE(lock_acquired, lock, lock->name);
}

__attribute__((always_inline)) static inline void spinlock_pass_on(struct spinlock *lock)
{
    PITOT_TRACE(lock_release, lock, lock->name);
    held_locks_remove(lock);
    /* A, with spinlock_acquire. */
    __atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
}

__attribute__((always_inline)) static inline void spinlock_release(struct spinlock *lock)
{
    spinlock_pass_on(lock);
    preempt_on();
}

/*
 * Turns interrupts off before it takes a ticket: an interrupt of a CPU that holds a ticket would
 * delay every CPU that waits.
 */
__attribute__((always_inline)) static inline uint64_t spinlock_acquire_irq(struct spinlock *lock)
{
    uint64_t flags = arch_irq_save();

    spinlock_acquire(lock);
    return flags;
}

/* preempt_on performs a deferred thread switch only with interrupts on, hence the order. */
__attribute__((always_inline)) static inline void spinlock_release_irq(struct spinlock *lock,
                                                                       uint64_t flags)
{
    spinlock_pass_on(lock);
    arch_irq_restore(flags);
    preempt_on();
}
