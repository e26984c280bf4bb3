/* SPDX-License-Identifier: BSD-2-Clause */
/* See host.h. */
#include "core/host.h"

struct host host;
uint64_t task_ids[ARCH_CPUS_MAX];
struct preemption preemption[ARCH_CPUS_MAX];

void host_set(const struct host *with)
{
    host = *with;
}
