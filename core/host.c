/* SPDX-License-Identifier: BSD-2-Clause */
/* See host.h and task.h. */
#include "core/host.h"

#include "core/task.h"

struct pitot_kernel host;
bool host_ready;
uint64_t task_ids[ARCH_CPUS_MAX];
struct pitot_preemption pitot_preemption[ARCH_CPUS_MAX];

void host_set(const struct pitot_kernel *with)
{
    host = *with;
}

void pitot_thread_runs(unsigned pid)
{
    if (host_ready)
        task_set_ids(pid);
}
