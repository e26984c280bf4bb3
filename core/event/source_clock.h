/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cpu-clock source: counts time in ns, by the NMI clock (core/event/source_nmi_clock.h) if
 * there is one, otherwise by the host's timer. docs/sources.md has the design.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

#define EVENT_CLOCK_HERTZ_MAX 10000 /* samples per second that the timer supports */

/* Sets the rate that the events need. Called when nmi_clock_problem has changed. Task context. */
void event_clock_follow(void);

/* The host's timer, for machines without the NMI clock. */
struct event_clock_timer {
    /*
     * Sets the rate to `times` times `hertz`; other CPUs change it at their next interrupt. Called
     * with all CPUs parked.
     */
    void (*set_times)(unsigned times);
    /* Lowers the multiple to at most `times`. Timer interrupt, possibly on several CPUs at once. */
    void (*lower_times)(unsigned times);
    unsigned hertz; /* interrupts per second and CPU */
};

/* Called at boot; until then there is no timer. */
void event_clock_set_timer(const struct event_clock_timer *with);

/* Called for a timer interrupt that arrived at `began`, with the interrupted registers. */
void event_clock_interrupt(const struct regs *regs, uint64_t began);

/*
 * Returns the rate to which sampling was lowered, and the time that a sample took, since a clock
 * event last began to sample; rate 0: not lowered. Sampling slows down if it takes more than half
 * of a CPU. Task context.
 */
struct event_clock_slowed {
    unsigned hertz;
    uint64_t took; /* ns */
};
struct event_clock_slowed event_clock_slowed(void);
