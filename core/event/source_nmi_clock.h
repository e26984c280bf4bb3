/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A periodic NMI on all CPUs at about the same time, if the machine has a clock that can send one.
 * It comes at the rate of its fastest user, and not at all without users (docs/sources.md). Users
 * are served in NMI context: no lock, no allocation, no trap. A parked CPU does not serve users, so
 * their data changes only while all CPUs are parked.
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
