/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock source of events, cpu-clock: what it counts is time, in nanoseconds. core/event/event.c
 * calls all but the last, in task context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event;
struct refusal;
struct regs;

/* What the timer can be asked for: samples a second, and ns from one to the next. */
#define EVENT_CLOCK_HERTZ_MAX  10000
#define EVENT_CLOCK_PERIOD_MIN (1000000000 / EVENT_CLOCK_HERTZ_MAX)

/* As many as the real perf takes where nobody says how many. */
#define EVENT_CLOCK_HERTZ_DEFAULT 4000

_Static_assert(EVENT_CLOCK_HERTZ_DEFAULT <= EVENT_CLOCK_HERTZ_MAX, "the default can be had");

/* Its part of an event, beside what struct event_cpu has. */
struct event_clock {
    struct event *next; /* of those that are enabled; changed with all CPUs parked */
    uint64_t interval;  /* ns from sample to sample [I] */
};

int event_clock_enable(struct event *event, struct refusal *why);
void event_clock_disable(struct event *event);

/* Time is counted, and if the event has rings sampled, from now on. All CPUs parked. */
void event_clock_begin(struct event *event);

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

/*
 * Between these two this CPU looks at the events that follow the clock, and those stay as they are.
 * Interrupt context.
 */
void event_clock_enter(void);
void event_clock_leave(void);
bool event_clock_is_busy(unsigned cpu);
