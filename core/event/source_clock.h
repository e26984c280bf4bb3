/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source cpu-clock: it counts time, in nanoseconds. It uses the clock that sends NMIs
 * (core/event/source_nmi_clock.h), if there is one, else the host's timer. docs/sources.md has the
 * design.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* The most samples a second that the timer can give. */
#define EVENT_CLOCK_HERTZ_MAX 10000

/* Returns NULL, or why cpu-clock cannot sample code that runs with interrupts off. Any context. */
const char *event_clock_blind(void);

/*
 * Sets the rate of the clock that is used now: nmi_clock_problem may give another answer than
 * before. Task context.
 */
void event_clock_follow(void);

/*
 * The host's timer, for machines without the NMI clock: it interrupts each CPU `hertz` times a
 * second, or a multiple of that.
 */
struct event_clock_timer {
    /*
     * Sets the multiple: on this CPU at once, on others from their next interrupt on. All are
     * parked.
     */
    void (*set_times)(unsigned times);
    /*
     * Lowers the multiple to at most `times`. In the timer's interrupt, possibly on several CPUs at
     * once.
     */
    void (*lower_times)(unsigned times);
    unsigned hertz;
};

/* Names the timer. Called at boot; until then there is none. */
void event_clock_set_timer(const struct event_clock_timer *with);

/*
 * The timer's interrupt came at `began` and interrupted code with these registers. Interrupt
 * context.
 */
void event_clock_interrupt(const struct regs *regs, uint64_t began);

/*
 * If samples cost more than half of a CPU, fewer are taken than were asked for. Tells how many are
 * taken at most since then, and how long one took; hertz 0: as many as were asked for. Since the
 * last event_clock_begin with samples. Task context.
 */
struct event_clock_slowed {
    unsigned hertz;
    uint64_t took; /* ns */
};
struct event_clock_slowed event_clock_slowed(void);
