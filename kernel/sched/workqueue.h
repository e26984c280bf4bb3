/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred work: functions that a thread of the same CPU, kworker/N, calls soon, in the order of
 * queueing. They run in task context, interrupts on; while one sleeps, the next ones wait.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Embedded in the caller's object, so queueing cannot fail. The caller sets the first two members;
 * the others are 0.
 */
struct work {
    void (*function)(struct work *work);
    void *data;
    struct work *next; /* under the queue's lock */
    bool queued;       /* in a queue, or about to be; any CPU stores it, atomically */
};

/* Creates a worker for each running CPU. Once, after thread_init, interrupts on. */
void workqueue_init(void);

/*
 * Queues the work. Returns false if it is queued already and has not begun. It may be queued again
 * once its function has begun, also by that function. Task or interrupt context.
 */
bool work_queue(struct work *work);

/*
 * Waits for all work queued before the call, on any CPU. Task context, but not called by a work
 * function (asserted).
 */
void work_flush(void);
