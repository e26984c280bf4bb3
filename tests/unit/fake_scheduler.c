/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/sched/scheduler.h and thread_current for host tests that link wait queues: each host
 * thread is a thread; asleep, it polls with arch_relax until it is woken.
 */
#include "kernel/sched/scheduler.h"

static _Thread_local struct thread self = {.state = THREAD_RUNNING};

struct thread *thread_current(void)
{
    return &self;
}

void scheduler_sleep(struct spinlock *lock)
{
    __atomic_store_n(&self.state, THREAD_SLEEPING, __ATOMIC_RELAXED);
    spinlock_release(lock);
    while (__atomic_load_n(&self.state, __ATOMIC_ACQUIRE) == THREAD_SLEEPING)
        arch_relax();
}

void scheduler_wake(struct thread *thread)
{
    __atomic_store_n(&thread->state, THREAD_RUNNING, __ATOMIC_RELEASE);
}
