/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/sched/preempt.h for tests on the host that take spinlocks: counts, and never switches. The
 * count is a CPU's, so tests whose threads play CPUs give each its own arch_cpu_id.
 */
#include "kernel/sched/preempt.h"

void preempt_now(void)
{
}

/* Nor is anything interrupted, unless fake_arch.c is linked. */
__attribute__((weak)) bool arch_interrupted(void)
{
    return false;
}
