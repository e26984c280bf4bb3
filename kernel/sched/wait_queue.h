/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads sleep until something is so:
 *
 *     flags = wait_queue_lock(&queue);
 *     while (!it_is_so)
 *         flags = wait_queue_sleep(&queue, flags);
 *     wait_queue_unlock(&queue, flags);
 *
 * What "it" is made of is changed under the queue's lock, or the wake-up comes after the change and
 * takes the lock: either way none is lost. Sleeping: task context, holding no other spinlock, which
 * is asserted. Waking: task and interrupt context.
 */
#pragma once

#include <stdint.h>

#include "kernel/lock/spinlock.h"
#include "kernel/sched/run_queue.h"

struct wait_queue {
    const char *name; /* what is waited for, as ps says it; constant */
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
 * Under the lock, with what wait_queue_lock gave; gives the lock up while it sleeps, has it again
 * when it returns, and returns what unlocking takes.
 */
uint64_t wait_queue_sleep(struct wait_queue *queue, uint64_t flags);

/* Under the lock: the one that came first, or all. */
void wait_queue_wake_one_locked(struct wait_queue *queue);
void wait_queue_wake_all_locked(struct wait_queue *queue);

/* Without it. */
void wait_queue_wake_all(struct wait_queue *queue);
