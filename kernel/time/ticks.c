/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ticks.h. A watch on `ticks` is instructive: the call chains of its hits lead through the
 * timer interrupt.
 */
#include "kernel/time/ticks.h"

#include "arch/cpu.h"
#include "core/pitot.h"

PITOT_TRACEPOINT(timer, tick, 1, PITOT_FIELD(u64, count, "count=%lu"));

volatile uint64_t ticks;

static void (*timer_set_rate)(unsigned hertz); /* NULL: no timer yet; set at boot */

/* Requested interrupts per tick. [A] Stored by any CPU, in task context and in timer interrupts. */
static unsigned wanted = 1;

/*
 * State of each CPU's timer, whose rate follows `wanted`. Changed on that CPU with interrupts off.
 */
static struct {
    unsigned times;     /* interrupts per tick; 0: not started */
    uint64_t next_tick; /* arch_clock_ns of the next tick; used only if `times` is above 1 */
    uint64_t served;    /* number of interrupts served */
} timers[ARCH_CPUS_MAX];

ARCH_HIT_TEXT static void ticks_follow(void)
{
    unsigned cpu = arch_cpu_id(), times = __atomic_load_n(&wanted, __ATOMIC_RELAXED);

    if (!timer_set_rate || timers[cpu].times == times)
        return;
    timers[cpu].times = times;
    timers[cpu].next_tick = arch_clock_ns() + TICK_NS;
    timer_set_rate(TICKS_A_SECOND * times);
}

void ticks_start(void (*set_rate)(unsigned hertz))
{
    timer_set_rate = set_rate;
    ticks_start_here();
}

void ticks_start_here(void)
{
    uint64_t flags = arch_irq_save();

    ticks_follow();
    arch_irq_restore(flags);
}

void ticks_quicken(unsigned times)
{
    __atomic_store_n(&wanted, times, __ATOMIC_RELAXED);
    ticks_start_here();
}

/* If several CPUs call at once, the lowest rate wins. */
ARCH_HIT_TEXT void ticks_slow_down(unsigned times)
{
    unsigned before = __atomic_load_n(&wanted, __ATOMIC_RELAXED);

    while (before > times && !__atomic_compare_exchange_n(&wanted, &before, times, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    ticks_follow();
}

/*
 * Uses the clock, not a count of interrupts: some are lost while interrupts are off. Missed ticks
 * are skipped, as at the normal rate.
 */
bool ticks_due(void)
{
    unsigned cpu = arch_cpu_id();
    uint64_t now;

    timers[cpu].served++;
    ticks_follow();
    if (timers[cpu].times == 1)
        return true;
    now = arch_clock_ns();
    if (now < timers[cpu].next_tick)
        return false;
    timers[cpu].next_tick += TICK_NS;
    if (timers[cpu].next_tick <= now)
        timers[cpu].next_tick = now + TICK_NS;
    return true;
}

ARCH_HIT_TEXT uint64_t ticks_served(unsigned cpu)
{
    return *(volatile uint64_t *)&timers[cpu].served;
}

void ticks_count(void)
{
    ticks++;
    PITOT_TRACE(tick, ticks);
}
