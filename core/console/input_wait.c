/* SPDX-License-Identifier: BSD-2-Clause */
/* See input_wait.h. */
#include "core/console/input_wait.h"

#include "core/console/command.h"
#include "core/console/input.h"
#include "core/sched/wait_queue.h"

static struct wait_queue arrivals = WAIT_QUEUE("the console");

/* Interrupt context: the producer has put something. */
static void input_arrived(void)
{
    wait_queue_wake_all(&arrivals);
}

static void wait_until(bool (*holds)(void))
{
    uint64_t flags = wait_queue_lock(&arrivals);

    while (!holds())
        flags = wait_queue_sleep(&arrivals, flags);
    wait_queue_unlock(&arrivals, flags);
}

void input_wait_init(void)
{
    input_set_arrived(input_arrived);
}

void input_wait(void)
{
    wait_until(input_pending);
}

void command_wait_interrupt(void)
{
    wait_until(input_interrupted);
}
