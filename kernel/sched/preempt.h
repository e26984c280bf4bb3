/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preemption: the timer interrupt may switch threads only while the CPU's counter is 0. A held
 * spinlock raises the counter. Task and interrupt context; any context may read the counter.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/pitot.h"

/* Switches threads if interrupts are on; called by preempt_on if a switch is pending. */
void preempt_now(void);

static inline void preempt_off(void)
{
    pitot_preemption[arch_cpu_id()].off++;
    local_barrier();
}

static inline void preempt_on(void)
{
    struct pitot_preemption *here = &pitot_preemption[arch_cpu_id()];

    local_barrier();
    here->off--;
    local_barrier();
    if (here->off == 0 && here->wanted)
        preempt_now();
}

static inline uint32_t preempt_count(void)
{
    return pitot_preemption[arch_cpu_id()].off;
}
