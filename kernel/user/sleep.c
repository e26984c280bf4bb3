/* SPDX-License-Identifier: BSD-2-Clause */
/* process_sleep: every system call sleeps on the process's own queue, so a kill wakes one queue. */
#include "kernel/time/timer.h"
#include "kernel/user/process.h"
#include "kernel/user/signals.h"

/* Interrupt context. */
static void wake(void *data)
{
    struct process *process = data;

    wait_queue_wake_all(&process->events);
}

static bool is_over(const struct process *process, uint64_t until_ns, bool (*holds)(void *data),
                    void *data)
{
    return signal_ends(process) || arch_clock_ns() >= until_ns || (holds && holds(data));
}

bool process_sleep(uint64_t until_ns, bool (*holds)(void *data), void *data)
{
    struct process *process = process_current();
    struct timer timer = {.function = wake, .data = process};
    uint64_t now = arch_clock_ns(), flags;

    if (until_ns != UINT64_MAX && until_ns > now)
        timer_start(&timer, until_ns - now, 0);
    flags = wait_queue_lock(&process->events);
    while (!is_over(process, until_ns, holds, data)) {
        thread_current()->stopped = signal_stops(process);
        flags = wait_queue_sleep(&process->events, flags);
    }
    thread_current()->stopped = false;
    wait_queue_unlock(&process->events, flags);
    timer_cancel(&timer);
    return signal_ends(process) == 0;
}
