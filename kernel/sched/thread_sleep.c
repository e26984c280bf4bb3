/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeps until a timer wakes the thread. Task context. */
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/time/timer.h"

struct sleeper {
    struct wait_queue queue;
    bool over; /* under the queue's lock */
};

/* Interrupt context. */
static void sleep_is_over(void *data)
{
    struct sleeper *sleeper = data;
    uint64_t flags = wait_queue_lock(&sleeper->queue);

    sleeper->over = true;
    wait_queue_wake_one_locked(&sleeper->queue);
    wait_queue_unlock(&sleeper->queue, flags);
}

void thread_sleep_ns(uint64_t nanoseconds)
{
    struct sleeper sleeper = {.queue = WAIT_QUEUE("time")};
    struct timer timer = {.function = sleep_is_over, .data = &sleeper};
    uint64_t flags;

    timer_start(&timer, nanoseconds, 0);
    flags = wait_queue_lock(&sleeper.queue);
    while (!sleeper.over)
        flags = wait_queue_sleep(&sleeper.queue, flags);
    wait_queue_unlock(&sleeper.queue, flags);
    timer_cancel(&timer); /* sleep_is_over may still be using our stack */
}
