/* SPDX-License-Identifier: BSD-2-Clause */
/* See arch/own.h. Any context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"

#define ARCH_CPUS_MAX          64
#define RECORDING_EVENTS_MAX   96
#define RECORDING_RING_DEFAULT (1024u * 1024)

/*
 * Above what virtual-8086 mode could reach (trap_entry.asm), and without the lower half's last
 * page, so that the address after a `syscall` is canonical.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)

/* Threads never migrate, so percpu_self and arch_cpu_id are constant within a context. */
static inline struct percpu *percpu_self(void)
{
    struct percpu *self;

    __asm__("movq %%gs:%c1, %0" : "=r"(self) : "i"(offsetof(struct percpu, self)));
    return self;
}

static inline unsigned arch_cpu_id(void)
{
    uint64_t cpu; /* `movl` clears the upper half; the check tells the compiler the range */

    __asm__("movl %%gs:%c1, %k0" : "=r"(cpu) : "i"(offsetof(struct percpu, cpu)));
    if (cpu >= ARCH_CPUS_MAX)
        __builtin_unreachable();
    return (unsigned)cpu;
}

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
    uint64_t low, high; /* `rdtsc` clears their upper halves */

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
}

#define CLOCK_SCALE_SHIFT 32

/* Written at boot. Before clock_set_rate a tick counts as one ns, enough to order early events. */
struct clock {
    uint64_t start_ticks, start_nanoseconds;
    uint64_t scale; /* ns per tick, fixed point */
};

extern struct clock clock_boot;

static inline uint64_t arch_clock_ns(void)
{
    unsigned __int128 passed = cpu_read_tsc() - clock_boot.start_ticks;

    return clock_boot.start_nanoseconds +
           (uint64_t)(passed * clock_boot.scale >> CLOCK_SCALE_SHIFT);
}

#define STOP_OWN_KERNEL true

static inline uint64_t stop_gs_base(unsigned cpu)
{
    return (uintptr_t)&percpu[cpu];
}

static inline uint64_t stop_code_selector(const struct regs *regs)
{
    return regs->cs;
}
