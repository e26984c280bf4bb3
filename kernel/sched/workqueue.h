/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred work: functions that interrupt context may not or should not run, called soon by a
 * thread of the same CPU, kworker/N, in the order in which they were queued. They run in task
 * context, interrupts on, and may sleep; functions queued after them then wait as well.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Embedded in the object that it is about, so that queueing needs no memory and cannot fail. The
 * caller sets function and data; the rest is 0 at first and belongs to kernel/sched/workqueue.c.
 */
struct work {
    void (*function)(struct work *work);
    void *data;
    struct work *next; /* under the queue's lock */
    bool queued;       /* in a queue, or about to be: any CPU, atomically */
};

/* Creates a worker for each running CPU. Once, after thread_init, interrupts on. */
void workqueue_init(void);

/*
 * Returns true if it has queued the work, false if the work was queued already and has not begun.
 * The work may be queued again once its function has begun, also by the function itself. Task or
 * interrupt context.
 */
bool work_queue(struct work *work);

/*
 * Waits until all work queued before the call, on any CPU, has run. Task context, but not in queued
 * work, which would wait for itself (asserted).
 */
void work_flush(void);
