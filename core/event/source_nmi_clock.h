/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A periodic NMI on all CPUs at about the same time, if the machine has a clock that can send one.
 * It comes as often as its fastest user needs, and not at all without users. docs/sources.md has
 * the design. Its users are served in NMI context: no lock, no allocation, no trap; what they read
 * is changed only while all other CPUs are parked, as a parked CPU does not serve them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

#define NMI_CLOCK_HERTZ_MAX 10000

/*
 * nmi_clock_start names the clock. `set_rate` sets how many NMIs come a second, 0: none; it is
 * called with all other CPUs parked. `slow_down` sets a lower rate from the next NMI on; it is
 * called in the NMI, on the boot CPU. The other function says that there is no clock, and why.
 * Called once, at boot.
 */
void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz));
void nmi_clock_missing(const char *why);

/* Returns NULL if there is such a clock, else a phrase that says why not. */
const char *nmi_clock_problem(void);

struct nmi_clock_user {
    /* Called with the interrupted registers and the time of the NMI (arch_clock_ns). [I] */
    void (*serve)(const struct regs *regs, uint64_t began);
    unsigned hertz;              /* NMIs a second that it needs; other users may need more. This
                                  * file's [A] */
    struct nmi_clock_user *next; /* this file's */
};

/*
 * From now on the user needs `hertz` NMIs a second; 0: none. Its memory must stay for ever. Task
 * context.
 */
void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz);

/*
 * If the user needed more, it now needs only `hertz` NMIs a second, not 0. In effect from the
 * second NMI on that comes to the boot CPU. NMI context.
 */
void nmi_clock_slow_down(struct nmi_clock_user *user, unsigned hertz);

/* The NMI came to this CPU at `began` and interrupted code with these registers. NMI context. */
void nmi_clock_interrupt(const struct regs *regs, uint64_t began);
