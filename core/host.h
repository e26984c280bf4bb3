/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is running, for those who only want a name and a number: samples, and the commands that a
 * recording is made with. Threads themselves are kernel/sched/thread.h's. Any context, but for the
 * two that set something.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

#define TASK_NAME_SIZE 16
#define TASK_PID       1u /* the boot thread: it runs the console and what is typed there */

/* The current thread's; the boot thread bears the name of the command that it runs. */
const char *task_name(void);
void task_set_name(const char *name);

/*
 * pid and tid of the thread that runs on each CPU, as a sample's TID field has them. Stored by the
 * CPU's scheduler alone, at each switch.
 */
extern uint64_t task_ids[ARCH_CPUS_MAX];

/*
 * Whether the thread that runs on each CPU is a recorded workload's: the command's own thread, or
 * one that it or its threads have made (kernel/sched/thread.h). Stored by that CPU alone.
 */
extern bool task_followed[ARCH_CPUS_MAX];

/* CPU time that such threads have had on that CPU, up to now. There, or while it stands still. */
uint64_t task_followed_ns(unsigned cpu);

#define TASK_IDS_NONE UINT64_MAX /* no thread's; those of pid 0 are 0 */

static inline uint64_t task_ids_of(uint32_t pid)
{
    return (uint64_t)pid << 32 | pid;
}

static inline uint64_t task_current_ids(void)
{
    return task_ids[arch_cpu_id()];
}

/* The scheduler's. */
static inline void task_set_ids(uint32_t pid)
{
    task_ids[arch_cpu_id()] = task_ids_of(pid);
}
