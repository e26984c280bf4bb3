/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads of a kernel that reports all of them for each recording (tasks_tell), so that nothing is
 * kept between two. core/embed/threads.c keeps names for kernels that do not. Task context.
 */
#include "core/pitot.h"
#include "core/recording/tasks.h"

const char *pitot_thread_named(unsigned pid, const char *name)
{
    recording_task_named(pid, name, false);
    return NULL;
}
