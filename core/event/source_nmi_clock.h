/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A periodic NMI on all CPUs at about the same time, on machines with a clock that can send one. It
 * runs at the rate of its fastest user, and not at all without users. docs/sources.md has the
 * design. Users are served in NMI context: no lock, no allocation, no trap. Data that users read
 * changes only while all other CPUs are parked, since a parked CPU does not serve users.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

#define NMI_CLOCK_HERTZ_MAX 10000

/*
 * nmi_clock_start registers the clock. `set_rate` sets the number of NMIs per second, 0 for none,
 * and is called with all other CPUs parked. `slow_down` lowers the rate from the next NMI on, and
 * is called in the NMI, on the boot CPU. nmi_clock_missing reports instead that there is no clock,
 * and why. Called once, at boot.
 */
void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz));
void nmi_clock_missing(const char *why);

/* Returns NULL if there is a clock, otherwise a phrase that gives the reason. */
const char *nmi_clock_problem(void);

struct nmi_clock_user {
    /* Called with the interrupted registers and the time of the NMI (arch_clock_ns). [I] */
    void (*serve)(const struct regs *regs, uint64_t began);
    unsigned hertz;              /* NMIs per second; other users may need more. This file's [A] */
    struct nmi_clock_user *next; /* this file's */
};

/*
 * Sets the user's rate to `hertz` NMIs per second; 0: none. The user's memory must never be freed.
 * Task context.
 */
void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz);

/*
 * Lowers the user's rate to `hertz` NMIs per second, not 0, if it was higher. Takes effect from the
 * second NMI that the boot CPU receives. NMI context.
 */
void nmi_clock_slow_down(struct nmi_clock_user *user, unsigned hertz);

/*
 * Called when the NMI has arrived on this CPU, at `began`, with the registers of the interrupted
 * code. NMI context.
 */
void nmi_clock_interrupt(const struct regs *regs, uint64_t began);
