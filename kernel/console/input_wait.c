/* SPDX-License-Identifier: BSD-2-Clause */
/* See input_wait.h. */
#include "kernel/console/input_wait.h"

#include "kernel/console/input.h"
#include "kernel/sched/wait_queue.h"

static struct wait_queue arrivals = WAIT_QUEUE("console");

void input_wake(void)
{
    wait_queue_wake_all(&arrivals);
}

void input_wait_until(bool (*holds)(void))
{
    uint64_t flags = wait_queue_lock(&arrivals);

    while (!holds())
        flags = wait_queue_sleep(&arrivals, flags);
    wait_queue_unlock(&arrivals, flags);
}

void input_wait(void)
{
    input_wait_until(input_pending);
}
