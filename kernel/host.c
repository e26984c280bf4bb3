/* SPDX-License-Identifier: BSD-2-Clause */
/* See core/host.h. */
#include "core/host.h"

#include "kernel/sched/scheduler.h"
#include "kernel/sched/thread.h"

uint64_t task_ids[ARCH_CPUS_MAX];
bool task_followed[ARCH_CPUS_MAX];

ARCH_HIT_TEXT const char *task_name(void)
{
    return thread_current()->name;
}

ARCH_HIT_TEXT uint64_t task_followed_ns(unsigned cpu)
{
    return scheduler_followed_ns(cpu);
}

void task_set_name(const char *new_name)
{
    thread_set_name(thread_current(), new_name);
}
