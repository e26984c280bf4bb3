/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/sched/preempt.h for host tests that take spinlocks: counts, and never switches. The count
 * belongs to a CPU, so tests whose threads act as CPUs give each its own arch_cpu_id.
 */
#include "kernel/sched/preempt.h"

void preempt_now(void)
{
}

/* Nothing is interrupted either, unless fake_arch.c is linked. */
__attribute__((weak)) bool arch_interrupted(void)
{
    return false;
}
