/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cpu-clock source: counts time in ns, by the NMI clock if there is one, otherwise by the
 * host's timer. docs/sources.md has the design.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/pitot_boot.h"

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
