/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_lock.h. Called by kernel/fs, once per operation; task context, interrupts on. */
#include "kernel/lock/kernel_lock.h"

#include <stddef.h>

#include "core/lib/assert.h"
#include "kernel/lock/spinlock.h"
#include "kernel/sched/wait_queue.h"

/* Aligned, so that one debug register watches all of it and nothing else. */
uint32_t kernel_flag __attribute__((aligned(4)));

/* The queue's lock covers the next three variables. */
static struct wait_queue waiters = WAIT_QUEUE("kernel_lock");
static uint32_t waiting;              /* threads in kernel_lock_wait; also read without the lock */
static const struct thread *given_to; /* sleeper to which the lock was handed, until it notices */
static uint64_t contended;

static const struct thread *holder; /* stored only by that thread; NULL: none */

/* Sleeps instead of spinning: the holder may be a preempted thread of this CPU. */
__attribute__((noinline)) static void kernel_lock_wait(void)
{
    uint64_t flags;

    PITOT_TRACE(lock_contended, &kernel_flag, "kernel_flag");
    PITOT_TRACE(contention_begin, &kernel_flag, "kernel_flag", LOCK_WAIT_SLEEPS);
    flags = wait_queue_lock(&waiters);
    contended++;
    __atomic_store_n(&waiting, waiting + 1, __ATOMIC_SEQ_CST);
    /* A and B, with unlock_kernel, which left the lock free if it did not see this waiter. */
    if (__atomic_exchange_n(&kernel_flag, 1, __ATOMIC_SEQ_CST) != 0) {
        while (given_to != thread_current())
            flags = wait_queue_sleep(&waiters, flags);
        given_to = NULL;
    }
    __atomic_store_n(&waiting, waiting - 1, __ATOMIC_RELAXED);
    wait_queue_unlock(&waiters, flags);
    PITOT_TRACE(contention_end, &kernel_flag, "kernel_flag", 0);
}

/*
 * Hands the lock to the thread that has slept longest. The flag stays 1: otherwise a thread that
 * takes the lock again at once would keep it for its whole slice.
 */
__attribute__((noinline)) static void kernel_lock_hand_over(void)
{
    uint64_t flags = wait_queue_lock(&waiters);

    given_to = waiters.sleepers.first;
    if (given_to)
        wait_queue_wake_one_locked(&waiters);
    else
        __atomic_store_n(&kernel_flag, 0, __ATOMIC_SEQ_CST); /* A, with kernel_lock_wait */
    wait_queue_unlock(&waiters, flags);
}

/* noinline here and below: a hit's call chain begins with the function that touched kernel_flag. */
__attribute__((noinline)) void lock_kernel(void)
{
    struct thread *thread = thread_current();

    if (thread->kernel_lock_depth++ > 0)
        return;

    PITOT_TRACE(lock_acquire, &kernel_flag, "kernel_flag");
    /* A, with unlock_kernel. */
    if (__atomic_exchange_n(&kernel_flag, 1, __ATOMIC_ACQUIRE) != 0)
        kernel_lock_wait();
    __atomic_store_n(&holder, thread, __ATOMIC_RELAXED);
    PITOT_TRACE(lock_acquired, &kernel_flag, "kernel_flag");
}

__attribute__((noinline)) void unlock_kernel(void)
{
    struct thread *thread = thread_current();

    assert(thread->kernel_lock_depth > 0);
    if (--thread->kernel_lock_depth > 0)
        return;

    PITOT_TRACE(lock_release, &kernel_flag, "kernel_flag");
    __atomic_store_n(&holder, NULL, __ATOMIC_RELAXED);
    if (__atomic_load_n(&waiting, __ATOMIC_RELAXED) > 0) {
        kernel_lock_hand_over();
        return;
    }
    /* A, with lock_kernel. */
    __atomic_store_n(&kernel_flag, 0, __ATOMIC_RELEASE);
    /*
     * B, with kernel_lock_wait: either the waiter sees the flag free, or we see the waiter. If we
     * see the waiter, whichever thread takes the lock first has it; if we do, we hand it to the
     * sleeper.
     */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&waiting, __ATOMIC_RELAXED) > 0 &&
        __atomic_exchange_n(&kernel_flag, 1, __ATOMIC_ACQUIRE) == 0)
        kernel_lock_hand_over();
}

uint64_t kernel_lock_contended(void)
{
    return __atomic_load_n(&contended, __ATOMIC_RELAXED);
}

ARCH_HIT_TEXT const struct thread *kernel_lock_holder(unsigned *waiters_count)
{
    *waiters_count = __atomic_load_n(&waiting, __ATOMIC_RELAXED);
    return __atomic_load_n(&holder, __ATOMIC_RELAXED);
}
