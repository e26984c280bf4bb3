/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preemption: whether the timer interrupt may take the CPU from the thread that runs. Each CPU has
 * a counter; while it is not 0 no other thread runs there. Spinlocks raise it while they are held,
 * so code seldom does it by hand. Task and interrupt context; the counter may be read in any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/local.h"
#include "core/host.h"

/* Switches if interrupts are on; called by preempt_on when a switch was put off. */
void preempt_now(void);

/* What preempt_now does: at boot, by the scheduler. */
void preempt_set_switch(void (*switch_now)(void));

/* May be nested. */
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
