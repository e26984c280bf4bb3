/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A periodic NMI on all CPUs at about the same time, where the machine has one: it comes as often
 * as the quickest of those who use it needs, and not at all while there are none. docs/clock.md
 * has the design. Its users are served in NMI context: no lock, no allocation, no trap; what they
 * look at changes while all other CPUs are parked, as one that parks is not served.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

#define NMI_CLOCK_HERTZ_MAX 10000

/*
 * `set_rate`: so many a second, 0 for none; called with all other CPUs parked. `slow_down`: so many
 * from the next one on; called in it, on the boot CPU. Or: there is none, and why. Boot, once.
 */
void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz));
void nmi_clock_missing(const char *why);

/* NULL: there is one. Or a phrase why not. */
const char *nmi_clock_problem(void);

struct nmi_clock_user {
    /* What it came upon, and when (arch_clock_ns). [I] */
    void (*serve)(const struct regs *regs, uint64_t began);
    unsigned hertz;              /* it needs; others may make it more. Ours [A] */
    struct nmi_clock_user *next; /* ours */
};

/* The user, which stays for ever, needs so many a second from now on; 0: none. Task context. */
void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz);

/*
 * The user can do with so many, not 0, if it needed more: from the second one on that comes to the
 * boot CPU. NMI context.
 */
void nmi_clock_slow_down(struct nmi_clock_user *user, unsigned hertz);

/* It has come to this CPU at `began`, upon what has these registers. NMI context. */
void nmi_clock_interrupt(const struct regs *regs, uint64_t began);
