/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See boot.h. Each CPU uses its APIC's timer. The boot CPU uses the 8254 instead, if there is one
 * and no NMI clock, which may need the 8254's line.
 */
#include "boot/boot.h"

#include "arch/x86_64/entry/trap.h"
#include "core/pitot.h"
#include "core/pitot_boot.h"
#include "drivers/pit8254.h"
#include "kernel/interrupt.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/scheduler.h"
#include "kernel/time/ticks.h"
#include "kernel/time/timer.h"
#include "kernel/x86_64/cpu/apic.h"

_Static_assert(EVENT_CLOCK_HERTZ_MAX == TICKS_A_SECOND * TICKS_QUICKEN_MAX,
               "the fastest rate of the timer's interrupt");

#define TIMER_LINE 0 /* the timer's number in traces of interrupts, on all CPUs */

/* Not inlined, so that call chains distinguish ticks from the timer's other interrupts. */
__attribute__((noinline)) static void tick(void)
{
    if (arch_cpu_id() == 0)
        ticks_count();
    timers_run();
    scheduler_tick();
}

static void timer_interrupt(struct regs *regs)
{
    pitot_tick(regs);
    if (ticks_due())
        tick();
}

static void apic_timer_interrupt(struct regs *regs)
{
    interrupt_serve(TIMER_LINE, "timer", timer_interrupt, regs);
    apic_end();
}

static bool by_pit; /* the boot CPU uses the 8254; set at boot */

static void timer_set_rate(unsigned hertz)
{
    if (arch_cpu_id() == 0 && by_pit)
        pit_set_rate(hertz);
    else
        apic_timer_set_rate(hertz);
}

static const struct event_clock_timer for_samples = {
    .hertz = TICKS_A_SECOND, .set_times = ticks_quicken, .lower_times = ticks_slow_down};

void timer_begin(bool has_nmi_clock)
{
    if (apic_registers())
        apic_timer_calibrate();
    trap_set_handler(VECTOR_APIC_TIMER, apic_timer_interrupt);
    by_pit = !has_nmi_clock && pit_is_present();
    if (!by_pit && !apic_registers())
        panic("no 8254 and no local APIC: nothing interrupts this machine periodically");
    if (by_pit)
        pit_start(TICKS_A_SECOND, timer_interrupt);
    event_clock_set_timer(&for_samples);
    ticks_start(timer_set_rate);
}
