/* SPDX-License-Identifier: BSD-2-Clause */
/* See host.h and task.h. */
#include "core/host.h"

#include "core/task.h"

struct pitot_kernel host;
uint64_t task_ids[ARCH_CPUS_MAX];
struct preemption preemption[ARCH_CPUS_MAX];

void host_set(const struct pitot_kernel *with)
{
    host = *with;
}
