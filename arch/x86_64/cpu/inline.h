/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inline functions of arch/cpu.h: values that take one load, and the clock. Every hit uses
 * them, and a call, with the registers that its caller would have to save, would cost more than the
 * load. Any context. Host programs include tests/unit/arch/x86_64/cpu/inline.h instead of this
 * file, and define the functions themselves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/area.h"
#include "arch/x86_64/cpu/count.h"

/*
 * A thread never migrates to another CPU, so percpu_self and arch_cpu_id are constant within one
 * context.
 */
static inline struct percpu *percpu_self(void)
{
    struct percpu *self;

    __asm__("movq %%gs:%c1, %0" : "=r"(self) : "i"(offsetof(struct percpu, self)));
    return self;
}

static inline unsigned arch_cpu_id(void)
{
    uint64_t cpu; /* the instruction clears the upper half; the range check tells the compiler */

    __asm__("movl %%gs:%c1, %k0" : "=r"(cpu) : "i"(offsetof(struct percpu, cpu)));
    if (cpu >= ARCH_CPUS_MAX)
        __builtin_unreachable();
    return (unsigned)cpu;
}

/* The debug registers that are armed and live on this CPU. */
static inline unsigned percpu_live(void)
{
    uint64_t live;

    __asm__ volatile("movq %%gs:%c1, %0" : "=r"(live) : "i"(offsetof(struct percpu, live)));
    return (unsigned)live;
}

static inline unsigned arch_trap_depth(void)
{
    uint32_t depth;

    __asm__ volatile("movl %%gs:%c1, %0" : "=r"(depth) : "i"(offsetof(struct percpu, watch_depth)));
    return depth;
}

static inline bool arch_interrupted(void)
{
    bool interrupted;

    __asm__ volatile("cmpl $0, %%gs:%c1"
                     : "=@ccne"(interrupted)
                     : "i"(offsetof(struct percpu, interrupt_depth)));
    return interrupted;
}

static inline uint64_t cpu_read_tsc(void)
{
    uint64_t low, high; /* the instruction clears their upper halves */

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
}

#define CLOCK_SCALE_SHIFT 32

/*
 * Before clock_set_rate (arch/x86_64/cpu/clock.h) one tick counts as one nanosecond, so that early
 * events are ordered. Written only at boot.
 */
struct clock {
    uint64_t start_ticks, start_nanoseconds;
    uint64_t scale; /* nanoseconds per tick, fixed point */
};

extern struct clock clock_boot;

static inline uint64_t arch_clock_ns(void)
{
    unsigned __int128 passed = cpu_read_tsc() - clock_boot.start_ticks;

    return clock_boot.start_nanoseconds +
           (uint64_t)(passed * clock_boot.scale >> CLOCK_SCALE_SHIFT);
}
