/* SPDX-License-Identifier: BSD-2-Clause */
/* See arch/own.h: by what the kernel and core/embed/lib.mk give. Any context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/x86_64/cpu/cpu.h"
#include EMBED_INLINE /* the kernel's, or core/embed/inline.h */

#define ARCH_CPUS_MAX          EMBED_CPUS
#define RECORDING_EVENTS_MAX   8
#define RECORDING_RING_DEFAULT EMBED_RING_SIZE

/* Set at boot. Without programs, no address is one's. */
extern uintptr_t embed_programs, embed_programs_end;
#define ARCH_USER_START embed_programs
#define ARCH_USER_END   embed_programs_end

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

#define STOP_OWN_KERNEL false

extern uint64_t embed_gs_base[]; /* noted in each stop. [owning CPU] */

static inline uint64_t stop_gs_base(unsigned cpu)
{
    return embed_gs_base[cpu];
}

/* Of a frame, arch_embed_regs has kept it in `error`; no debug trap of a program is a stop. */
static inline uint64_t stop_code_selector(const struct regs *regs)
{
    uint16_t selector;

    if (regs_user_mode(regs))
        return regs->error;
    __asm__("movw %%cs, %0" : "=r"(selector));
    return selector;
}
