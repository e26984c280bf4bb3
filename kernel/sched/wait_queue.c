/* SPDX-License-Identifier: BSD-2-Clause */
/* See wait_queue.h. */
#include "kernel/sched/wait_queue.h"

#include "kernel/sched/scheduler.h"

uint64_t wait_queue_sleep(struct wait_queue *queue, uint64_t flags)
{
    struct thread *thread = thread_current();

    run_queue_put(&queue->sleepers, thread);
    thread->waits_on = queue;
    scheduler_sleep(&queue->lock);
    arch_irq_restore(flags);
    return wait_queue_lock(queue);
}

/* Wakes the first thread. Returns false if the queue is empty. */
static bool wake_first(struct wait_queue *queue)
{
    struct thread *thread = run_queue_take(&queue->sleepers);

    if (!thread)
        return false;
    thread->waits_on = NULL;
    scheduler_wake(thread);
    return true;
}

void wait_queue_wake_one_locked(struct wait_queue *queue)
{
    wake_first(queue);
}

void wait_queue_wake_all_locked(struct wait_queue *queue)
{
    while (wake_first(queue)) {
    }
}

void wait_queue_wake_all(struct wait_queue *queue)
{
    uint64_t flags = wait_queue_lock(queue);

    wait_queue_wake_all_locked(queue);
    wait_queue_unlock(queue, flags);
}
