/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel reports at each thread switch: which thread this CPU runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "core/host.h"

#define TASK_NAME_SIZE PITOT_NAME_SIZE
#define TASK_IDLE_NAME "swapper" /* perf's name for task 0 */
#define TASK_PID       1u        /* the thread that runs the console's commands */

/* pid and tid of each CPU's thread, as in a sample's TID. Stored by task_set_ids on that CPU. */
extern uint64_t task_ids[ARCH_CPUS_MAX];

#define TASK_IDS_NONE UINT64_MAX /* no thread; the ids of pid 0 are 0 */

static inline uint64_t task_ids_of(uint32_t pid)
{
    return (uint64_t)pid << 32 | pid;
}

static inline uint64_t task_current_ids(void)
{
    return task_ids[arch_cpu_id()];
}

/* The ids of the thread that calls. Task context. */
static inline uint64_t task_this_ids(void)
{
    uint64_t flags = arch_irq_save(), ids = task_current_ids();

    arch_irq_restore(flags);
    return ids;
}

/* Returns the name of the thread on this CPU; "" if the kernel gives none. Any context. */
static inline const char *task_name(void)
{
    const char *name = host.task_name ? host.task_name(arch_cpu_id()) : NULL;

    return name ? name : "";
}

/* Reports that this CPU now runs thread `pid`. Preemption off. */
static inline void task_set_ids(uint32_t pid)
{
    task_ids[arch_cpu_id()] = task_ids_of(pid);
}
