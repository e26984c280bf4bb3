/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work put off: a function that interrupt context may not or will not run, called soon by a thread
 * of the same CPU, kworker/N, in the order in which it was queued. Functions run in task context,
 * interrupts on, and may sleep; what is queued after them then waits as well.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Lies in whatever it is about, so that queueing needs no memory and cannot fail. Fill function and
 * data; the rest is 0 at first, and kernel/sched/workqueue.c's.
 */
struct work {
    void (*function)(struct work *work);
    void *data;
    struct work *next; /* under the queue's lock */
    bool queued;       /* it is in a queue, or about to be: any CPU, atomically */
};

/* Makes the worker of each CPU that runs. Once, after thread_init, interrupts on. */
void workqueue_init(void);

/*
 * True if it was queued, false if it was queued already and has not begun. Queued again from the
 * moment its function begins, also by the function itself. Task or interrupt context.
 */
bool work_queue(struct work *work);

/*
 * Waits until all that was queued before the call, on any CPU, has run. Task context; not from
 * work, which would wait for itself (asserted).
 */
void work_flush(void);
