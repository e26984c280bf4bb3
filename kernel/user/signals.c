/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See signals.h. A stopped or sleeping program waits in its process's `events`, so a kill has to
 * wake only that queue.
 */
#include "kernel/user/signals.h"

#include <linux/signal.h>

#include "core/lib/print.h"
#include "kernel/time/timer.h"

ARCH_HIT_TEXT static bool is_stopping(uint8_t signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

ARCH_HIT_TEXT void signal_mark(struct process *process, uint8_t signal)
{
    uint8_t none = 0;

    if (is_stopping(signal))
        __atomic_store_n(&process->stopped_by, signal, __ATOMIC_RELEASE);
    else if (signal == SIGCONT)
        __atomic_store_n(&process->stopped_by, 0, __ATOMIC_RELEASE);
    else
        __atomic_compare_exchange_n(&process->killed_by, &none, signal, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
}

static void stand(struct process *process)
{
    uint64_t flags = wait_queue_lock(&process->events);

    while (signal_stops(process) && !signal_ends(process))
        flags = wait_queue_sleep(&process->events, flags);
    thread_current()->stopped = false;
    wait_queue_unlock(&process->events, flags);
}

/* Prints before it notifies the console, so that the message precedes the prompt. */
void signal_stand(struct process *process)
{
    arch_irq_enable();
    print("%s (pid %u): stopped by signal %u\n", process->thread->name, process->pid,
          signal_stops(process));
    thread_current()->stopped = true;
    process_tell_console(process);
    stand(process);
    arch_irq_save();
}

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
