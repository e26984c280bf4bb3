/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preemption: whether the timer interrupt may switch away from the running thread. Each CPU has a
 * counter; while it is not 0, the running thread is not preempted. A held spinlock raises the
 * counter, so code seldom does so itself. Task and interrupt context; any context may read the
 * counter.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/local.h"
#include "core/host.h"

/* Switches if interrupts are on; called by preempt_on if a switch is pending. */
void preempt_now(void);

/* Sets the function that preempt_now calls. Called at boot, by the scheduler. */
void preempt_set_switch(void (*switch_now)(void));

/* Calls may be nested. */
static inline void preempt_off(void)
{
    preemption[arch_cpu_id()].off++;
    local_barrier();
}

static inline void preempt_on(void)
{
    struct preemption *here = &preemption[arch_cpu_id()];

    local_barrier();
    here->off--;
    local_barrier();
    if (here->off == 0 && here->wanted)
        preempt_now();
}

static inline uint32_t preempt_count(void)
{
    return preemption[arch_cpu_id()].off;
}
