/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads in the order in which they came: the shape of run queues and wait queues. No lock of its
 * own: its owner's covers it and the `next` of the threads in it. Any context that may hold that
 * lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/sched/thread.h"

/* All zero is empty. */
struct run_queue {
    struct thread *first, *last;
};

static inline bool run_queue_is_empty(const struct run_queue *queue)
{
    return queue->first == NULL;
}

/* At the end. The thread is in no queue. */
static inline void run_queue_put(struct run_queue *queue, struct thread *thread)
{
    thread->next = NULL;
    if (queue->first)
        queue->last->next = thread;
    else
        queue->first = thread;
    queue->last = thread;
}

/* The first, or NULL. */
static inline struct thread *run_queue_take(struct run_queue *queue)
{
    struct thread *thread = queue->first;

    if (thread)
        queue->first = thread->next;
    return thread;
}
