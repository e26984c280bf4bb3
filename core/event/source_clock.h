/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cpu-clock source: counts time in ns, by the NMI clock if there is one, otherwise by the
 * host's timer. docs/sources.md has the design.
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

/* --- The NMI clock (source_nmi_clock.c). --- */

/*
 * A periodic NMI on all CPUs at about the same time, if the machine has a clock that can send one.
 * It comes at the rate of its fastest user, and not at all without users (docs/sources.md). Users
 * are served in NMI context: no lock, no allocation, no trap. A parked CPU does not serve users, so
 * their data changes only while all CPUs are parked.
 */

#define NMI_CLOCK_HERTZ_MAX 10000

/*
 * One of these is called, once, at boot. `set_rate` sets the number of NMIs per second, 0 for none,
 * with all other CPUs parked. `slow_down` lowers the rate from the next NMI on; it is called in the
 * NMI, on the boot CPU. `why`: why there is no clock.
 */
void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz));
void nmi_clock_missing(const char *why);

/* Returns NULL, or why there is no clock. */
const char *nmi_clock_problem(void);

struct nmi_clock_user {
    /* Called with the interrupted registers and the time of the NMI (arch_clock_ns). [I] */
    void (*serve)(const struct regs *regs, uint64_t began);
    unsigned hertz;              /* [A] NMIs needed per second; private to the .c file */
    struct nmi_clock_user *next; /* private to the .c file */
};

/*
 * Requests `hertz` NMIs per second for the user, or none if `hertz` is 0. The user must never be
 * freed. Task context.
 */
void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz);

/*
 * Lowers the user's rate to `hertz`, which must not be 0. In this NMI or its next one, the boot CPU
 * lowers the clock's rate to what the users still need. NMI context.
 */
void nmi_clock_slow_down(struct nmi_clock_user *user, unsigned hertz);

/* Called for an NMI that arrived at `began`, with the interrupted registers. NMI context. */
void nmi_clock_interrupt(const struct regs *regs, uint64_t began);
