/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of arch/arch.h is inline: answers of one load, and the clock. They are asked in every hit,
 * where the call, and the registers that a caller has to keep over it, cost more than the answer.
 * Any context. Programs on the host find tests/unit/arch/x86_64/inline.h in place of this one, and
 * bring functions of their own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * What each CPU owns and assembly finds through GS. It lies in pages that no watch may touch, as
 * trap entries use it while watches are armed. Fields are written by the owning CPU only.
 */
struct percpu {
    /* what the outermost exit loads into DR7; written before the register */
    uint64_t dr7;
    /* debug traps and NMIs that are being served; DR7 is 0 while it is not 0 */
    uint32_t watch_depth;
    uint32_t cpu;             /* index of this CPU, from 0 */
    uint32_t interrupt_depth; /* interrupts whose handlers are running */
};

extern struct percpu percpu_boot;

static inline struct percpu *percpu_self(void)
{
    return &percpu_boot; /* one CPU runs; GS leads assembly to the same place */
}

static inline unsigned arch_cpu_id(void)
{
    return *(const volatile uint32_t *)&percpu_self()->cpu;
}

static inline unsigned arch_trap_depth(void)
{
    return *(const volatile uint32_t *)&percpu_self()->watch_depth;
}

static inline bool arch_interrupted(void)
{
    return *(const volatile uint32_t *)&percpu_self()->interrupt_depth > 0;
}

static inline uint64_t cpu_read_tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* arch/x86_64/registers_thunk.asm: where the thunk's one call returns to. */
extern const uintptr_t registers_return;

/* A frame is the saved frame pointer and the return address; the thunk's registers lie above. */
static inline const struct regs *arch_thunk_registers(const void *return_address, const void *frame)
{
    if ((uintptr_t)return_address != registers_return)
        return NULL;
    return (const struct regs *)((uintptr_t)frame + 2 * sizeof(uint64_t));
}

#define CLOCK_SCALE_SHIFT 32

/*
 * Before clock_set_rate (arch/x86_64/clock.h) one tick counts as one nanosecond, so that early
 * events have an order. Written at boot alone.
 */
struct clock {
    uint64_t start_ticks, start_nanoseconds;
    uint64_t scale; /* nanoseconds a tick, fixed point */
};

extern struct clock clock_boot;

static inline uint64_t arch_clock_ns(void)
{
    unsigned __int128 passed = cpu_read_tsc() - clock_boot.start_ticks;

    return clock_boot.start_nanoseconds +
           (uint64_t)(passed * clock_boot.scale >> CLOCK_SCALE_SHIFT);
}
