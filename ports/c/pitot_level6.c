/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 6, threads for Pitot: they print intervals, stream while a recording runs, and run commands
 * for gdb. Threads that wait have their turns, as all do, so nothing needs to wake them. The other
 * CPUs have no turns: there only a thread that gdb has stopped waits.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

const char *thread_start(const char *name, void (*run)(void *), uint32_t *pid)
{
    static uint32_t started;

    if (started == ALL_THREADS - OTHERS_END)
        return "this kernel has no more threads";
    *pid = OTHERS_END + started++;
    thread_make(*pid, name, (void (*)(void))run);
    thread_yield();
    return 0;
}

void thread_wait(uint32_t channel, int (*until)(void))
{
    (void)channel;
    while (!until())
        if (this_cpu()->number == 0)
            thread_yield();
}

void thread_wake(uint32_t channel)
{
    (void)channel;
}
