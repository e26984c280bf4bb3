/* SPDX-License-Identifier: BSD-2-Clause */
/* A FIFO of threads. Its owner's lock covers the queue and the `next` of the threads in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/sched/thread.h"

/* All zero is an empty queue. */
struct run_queue {
    struct thread *first, *last;
};

static inline bool run_queue_is_empty(const struct run_queue *queue)
{
    return queue->first == NULL;
}

static inline void run_queue_put(struct run_queue *queue, struct thread *thread)
{
    thread->next = NULL;
    if (queue->first)
        queue->last->next = thread;
    else
        queue->first = thread;
    queue->last = thread;
}

/* Removes and returns the first thread; NULL if there is none. */
static inline struct thread *run_queue_take(struct run_queue *queue)
{
    struct thread *thread = queue->first;

    if (thread)
        queue->first = thread->next;
    return thread;
}
