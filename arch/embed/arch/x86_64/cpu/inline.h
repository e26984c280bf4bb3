/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inline functions of arch/cpu.h, by the kernel's own; replaces arch/x86_64/cpu/inline.h. Any
 * context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/cpu/area.h"
#include EMBED_INLINE /* the kernel's, or core/embed/inline.h */

static inline unsigned arch_cpu_id(void)
{
    return pitot_cpu();
}

/* Determined anew at each call, as threads may migrate. Preemption off. */
static inline struct percpu *percpu_self(void)
{
    return &percpu[pitot_cpu()];
}

static inline unsigned percpu_live(void)
{
    return (unsigned)*(const volatile uint64_t *)&percpu_self()->live;
}

static inline unsigned arch_trap_depth(void)
{
    return *(const volatile uint32_t *)&percpu_self()->watch_depth;
}

/* The kernel does not report its interrupts. */
static inline bool arch_interrupted(void)
{
    return false;
}

static inline uint64_t arch_clock_ns(void)
{
    return pitot_clock();
}
