/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ticket spinlock: CPUs get it in the order in which they asked. Short sections only, as the
 * others burn their time waiting. A lock that an interrupt handler takes too must be taken by its
 * _irq form everywhere, or the handler would wait for the task that it interrupted. Never from a
 * debug trap or an NMI: those take no lock. A thread that holds one is not preempted, and must not
 * sleep: another thread that wants it would burn its slices for nothing.
 */
#pragma once

#include <stdint.h>

#include "arch/cpu.h"
#include "kernel/hit/held_locks.h"
#include "kernel/lock/lock_trace.h"
#include "kernel/sched/preempt.h"

/*
 * All zero is a free lock. Tickets wrap around; more than 2^32 CPUs waiting at once would be needed
 * to notice.
 */
struct spinlock {
    uint32_t next;    /* the ticket of the next CPU that asks: any CPU, atomically */
    uint32_t serving; /* the ticket that holds the lock: stored by the holder alone */
    const char *name; /* for tracepoints; NULL: it has none */
};

/*
 * always_inline, here and below: a chain of lock events begins with the function that takes the
 * lock.
 */
__attribute__((always_inline)) static inline void spinlock_wait(const struct spinlock *lock,
                                                                uint32_t ticket)
{
    const struct spinlock *before = held_locks_wait(lock);

    TRACE(lock_contended, lock, lock->name);
    TRACE(contention_begin, lock, lock->name, LOCK_WAIT_SPINS);
    /* A, with spinlock_pass_on, as in spinlock_acquire. */
    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        arch_relax();
    held_locks_wait_over(before);
    TRACE(contention_end, lock, lock->name, 0);
}

__attribute__((always_inline)) static inline void spinlock_acquire(struct spinlock *lock)
{
    uint32_t ticket;

    TRACE(lock_acquire, lock, lock->name);
    preempt_off();
    ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    /*
     * A, with spinlock_pass_on: what the last holder stored is seen once its ticket has been passed
     * on.
     */
    if (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        spinlock_wait(lock, ticket);
    held_locks_add(lock);
    TRACE(lock_acquired, lock, lock->name);
}

/* What both releases have in common. */
__attribute__((always_inline)) static inline void spinlock_pass_on(struct spinlock *lock)
{
    TRACE(lock_release, lock, lock->name);
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
 * Interrupts go off before the ticket is drawn: an interrupt in between would make every waiting
 * CPU wait for it.
 */
__attribute__((always_inline)) static inline uint64_t spinlock_acquire_irq(struct spinlock *lock)
{
    uint64_t flags = arch_irq_save();

    spinlock_acquire(lock);
    return flags;
}

/* A switch that was put off is made up for only with interrupts on: hence the order. */
__attribute__((always_inline)) static inline void spinlock_release_irq(struct spinlock *lock,
                                                                       uint64_t flags)
{
    spinlock_pass_on(lock);
    arch_irq_restore(flags);
    preempt_on();
}
