/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cpu-clock source: counts time in nanoseconds, using the NMI clock
 * (core/event/source_nmi_clock.h) if there is one, otherwise the host's timer. docs/sources.md has
 * the design.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Highest sampling frequency that the timer supports. */
#define EVENT_CLOCK_HERTZ_MAX 10000

/*
 * Returns NULL, or the reason why cpu-clock cannot sample code that runs with interrupts off. Any
 * context.
 */
const char *event_clock_blind(void);

/*
 * Sets the rate of the clock in use, which may have changed with the result of nmi_clock_problem.
 * Task context.
 */
void event_clock_follow(void);

/*
 * The host's timer, for machines without the NMI clock: interrupts each CPU `hertz` times per
 * second, or at a multiple of that rate.
 */
struct event_clock_timer {
    /*
     * Sets the multiple: at once on this CPU, from the next interrupt on others. All CPUs are
     * parked.
     */
    void (*set_times)(unsigned times);
    /*
     * Lowers the multiple to at most `times`. Called in the timer interrupt, possibly on several
     * CPUs at once.
     */
    void (*lower_times)(unsigned times);
    unsigned hertz;
};

/* Registers the timer. Called at boot; until then there is no timer. */
void event_clock_set_timer(const struct event_clock_timer *with);

/*
 * Called for a timer interrupt that arrived at `began`, with the registers of the interrupted code.
 * Interrupt context.
 */
void event_clock_interrupt(const struct regs *regs, uint64_t began);

/*
 * If sampling takes more than half of a CPU, the rate is lowered. Returns the lowered rate and the
 * time a sample took, or hertz 0 if the rate is as requested; since a clock event last began with
 * samples. Task context.
 */
struct event_clock_slowed {
    unsigned hertz;
    uint64_t took; /* ns */
};
struct event_clock_slowed event_clock_slowed(void);
