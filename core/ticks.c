/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ticks.h. `ticks` is a good thing to watch: its call chain leads through the interrupt into
 * what was interrupted.
 */
#include "core/ticks.h"

#include "arch/arch.h"
#include "core/perf/tracepoint.h"

#define TICK_FIELDS(FIELD, of) FIELD(of, u64, count, "count=%lu")

TRACEPOINT_DECLARE(tick, TICK_FIELDS);
TRACEPOINT_DEFINE(timer, tick, TICK_FIELDS);

volatile uint64_t ticks;

/* Changed with interrupts off. */
static void (*timer_set_rate)(unsigned hertz); /* NULL: there is no timer yet */
static unsigned interrupts_a_tick = 1;
static uint64_t next_tick; /* arch_clock_ns; if there are several */

static void ticks_set_rate(void)
{
    if (timer_set_rate)
        timer_set_rate(TICKS_A_SECOND * interrupts_a_tick);
}

void ticks_start(void (*set_rate)(unsigned hertz))
{
    uint64_t flags = arch_irq_save();

    timer_set_rate = set_rate;
    ticks_set_rate();
    arch_irq_restore(flags);
}

void ticks_quicken(unsigned times)
{
    uint64_t flags = arch_irq_save();

    if (times != interrupts_a_tick) {
        interrupts_a_tick = times;
        next_tick = arch_clock_ns() + TICK_NS;
        ticks_set_rate();
    }
    arch_irq_restore(flags);
}

/*
 * By the clock and not by counting to interrupts_a_tick: of interrupts that come while they are off
 * all but one are lost, and many more are when they come often. Ticks that passed unseen are left
 * out, as they are without a quicker timer.
 */
bool ticks_due(void)
{
    uint64_t now;

    if (interrupts_a_tick == 1)
        return true;
    now = arch_clock_ns();
    if (now < next_tick)
        return false;
    next_tick += TICK_NS;
    if (next_tick <= now)
        next_tick = now + TICK_NS;
    return true;
}

void ticks_count(void)
{
    ticks++;
    TRACE(tick, ticks);
}
