/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A periodic NMI on all CPUs at about the same time, if the machine has a clock that can send one;
 * at the rate of its fastest user, none without users (docs/sources.md). Users are served in NMI
 * context: no lock, no allocation, no trap. A parked CPU does not serve users, so their data
 * changes only while all CPUs are parked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

#define NMI_CLOCK_HERTZ_MAX 10000

/*
 * One of these is called, once, at boot. `set_rate` sets the number of NMIs per second, 0 for none,
 * with all other CPUs parked. `slow_down` lowers the rate from the next NMI on; it is called in the
 * NMI, on the boot CPU. `why`: why there is no clock.
 */
void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz));
void nmi_clock_missing(const char *why);

/* NULL, or why there is no clock. */
const char *nmi_clock_problem(void);

struct nmi_clock_user {
    /* Called with the interrupted registers and the time of the NMI (arch_clock_ns). [I] */
    void (*serve)(const struct regs *regs, uint64_t began);
    unsigned hertz;              /* NMIs needed per second. This file's [A] */
    struct nmi_clock_user *next; /* this file's */
};

/* `hertz`: NMIs per second; 0: none. The user must never be freed. Task context. */
void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz);

/* Lowers the rate to `hertz`, not 0, from the boot CPU's second NMI on. NMI context. */
void nmi_clock_slow_down(struct nmi_clock_user *user, unsigned hertz);

/* Called for an NMI that arrived at `began`, with the interrupted registers. NMI context. */
void nmi_clock_interrupt(const struct regs *regs, uint64_t began);
