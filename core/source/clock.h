/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source cpu-clock: what it counts is time, in nanoseconds. By NMI where there is a clock that
 * sends one (core/source/nmi_clock.h), else by the host's timer. docs/clock.md has the design.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Samples a second that the timer can be asked for. */
#define EVENT_CLOCK_HERTZ_MAX 10000

/* NULL; or why cpu-clock does not see code that runs with interrupts off. Any context. */
const char *event_clock_blind(void);

/*
 * Asks whatever there is now to interrupt as often as is needed: nmi_clock_problem may say
 * something else than before. Task context.
 */
void event_clock_follow(void);

/*
 * The host's timer, for machines without the NMI clock: it interrupts each CPU `hertz` times a
 * second, or a whole number of times as often.
 */
struct event_clock_timer {
    /* So many times: here at once, on other CPUs from their next interrupt on. All are parked. */
    void (*set_times)(unsigned times);
    /* No more than so many. In the timer's interrupt, on several CPUs at once. */
    void (*lower_times)(unsigned times);
    unsigned hertz;
};

/* Boot; until then there is none. */
void event_clock_set_timer(const struct event_clock_timer *with);

/* The timer's interrupt has come at `began`, to what has these registers. Interrupt context. */
void event_clock_interrupt(const struct regs *regs, uint64_t began);

/*
 * Samples cost more than half of a CPU, so fewer are taken than were asked for: how many there are
 * at most from then on, and how long one took. hertz 0: as many as were asked for. Since the last
 * event_clock_begin with samples. Task context.
 */
struct event_clock_slowed {
    unsigned hertz;
    uint64_t took; /* ns */
};
struct event_clock_slowed event_clock_slowed(void);
