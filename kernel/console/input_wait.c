/* SPDX-License-Identifier: BSD-2-Clause */
/* See input_wait.h. */
#include "kernel/console/input_wait.h"

#include "kernel/console/input.h"
#include "kernel/sched/wait_queue.h"

static struct wait_queue arrivals = WAIT_QUEUE("console");
static bool message; /* set by any task, cleared by the console's; atomic */

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

static bool has_news(void)
{
    return input_pending() || __atomic_load_n(&message, __ATOMIC_RELAXED);
}

void input_wait(void)
{
    input_wait_until(has_news);
}

bool input_take_message(void)
{
    return __atomic_exchange_n(&message, false, __ATOMIC_RELAXED);
}

void input_tell_message(void)
{
    __atomic_store_n(&message, true, __ATOMIC_RELAXED);
    input_wake();
}
