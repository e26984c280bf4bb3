/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues in which threads sleep until a condition holds:
 *
 *     flags = wait_queue_lock(&queue);
 *     while (!condition)
 *         flags = wait_queue_sleep(&queue, flags);
 *     wait_queue_unlock(&queue, flags);
 *
 * The condition changes under the queue's lock, or the waker takes the lock after the change:
 * either way no wake-up is lost. Sleeping: task context, holding no other spinlock (asserted).
 * Waking: task and interrupt context.
 */
#pragma once

#include <stdint.h>

#include "kernel/lock/spinlock.h"
#include "kernel/sched/thread.h"

struct wait_queue {
    const char *name; /* what the threads wait for, as shown by ps; constant */
    struct spinlock lock;
    struct run_queue sleepers; /* under the lock */
};

#define WAIT_QUEUE(text)                                                                           \
    {                                                                                              \
        .name = (text), .lock.name = (text)                                                        \
    }

static inline uint64_t wait_queue_lock(struct wait_queue *queue)
{
    return spinlock_acquire_irq(&queue->lock);
}

static inline void wait_queue_unlock(struct wait_queue *queue, uint64_t flags)
{
    spinlock_release_irq(&queue->lock, flags);
}

/*
 * Sleeps in the queue. Called under the lock, with wait_queue_lock's flags; releases the lock
 * during the sleep and returns the flags for wait_queue_unlock.
 */
uint64_t wait_queue_sleep(struct wait_queue *queue, uint64_t flags);

/* Wakes the first thread, or all. Called under the lock. */
void wait_queue_wake_one_locked(struct wait_queue *queue);
void wait_queue_wake_all_locked(struct wait_queue *queue);

/* Called without the lock. */
void wait_queue_wake_all(struct wait_queue *queue);
