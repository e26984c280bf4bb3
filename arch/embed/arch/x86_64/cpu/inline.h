/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of arch/cpu.h is inline where Pitot is embedded in a kernel with a GS of its own: which CPU
 * this is and what time it is are that kernel's to say (core/pitot.h), and the CPU's own area is
 * found by the number. Found in place of arch/x86_64/cpu/inline.h, by the order of core/embed/
 * lib.mk's -I. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/cpu/area.h"
#include "core/pitot.h"

static inline unsigned arch_cpu_id(void)
{
    return pitot_host_cpu();
}

/* A thread may change its CPU, so this is asked anew, with preemption off. */
static inline struct percpu *percpu_self(void)
{
    return &percpu[pitot_host_cpu()];
}

/* Registers that are armed, and live on this CPU. */
static inline unsigned percpu_live(void)
{
    return (unsigned)*(const volatile uint64_t *)&percpu_self()->live;
}

static inline unsigned arch_trap_depth(void)
{
    return *(const volatile uint32_t *)&percpu_self()->watch_depth;
}

/* The kernel says nothing of its interrupts. */
static inline bool arch_interrupted(void)
{
    return false;
}

static inline uint64_t arch_clock_ns(void)
{
    return pitot_host_clock();
}
