/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is running. One task does so far: it runs the boot, the console and what is typed there, and
 * bears the name of the command that it runs, as a process of that name would. Any context, but for
 * task_set_name: task context.
 */
#pragma once

#include <stdint.h>

#define TASK_NAME_SIZE 16
#define TASK_PID       1u

const char *task_name(void);
void task_set_name(const char *name);

/* pid and tid of the current task, as a sample's TID field has them. */
static inline uint64_t task_current_ids(void)
{
    return (uint64_t)TASK_PID << 32 | TASK_PID;
}
