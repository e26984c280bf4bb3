/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NMIs: from one CPU to another, and from a clock that all CPUs share; docs/clock.md has the
 * design. Sending: any context. Served in nmi_trap, on the NMI's page, watches off.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/regs.h"

/* An NMI to that CPU, which will know that it was sent. What it is for is said elsewhere before. */
void nmi_send(unsigned cpu);

/*
 * A clock whose NMIs come to the boot CPU, which passes them on to all others. `came` is asked
 * there, in every NMI: whether the clock has wanted one since it was asked last. `serve` is called
 * on each CPU with what the NMI interrupted, and when (arch_clock_ns), but not while that one parks
 * the others. Boot.
 */
struct nmi_clock {
    bool (*came)(void);
    void (*serve)(const struct regs *regs, uint64_t began);
};
void nmi_set_clock(const struct nmi_clock *with);

/*
 * The clock as it is, for code that puts a question of its own before its. With all other CPUs
 * parked.
 */
struct nmi_clock nmi_clock_now(void);

/* It is served no more. Crash context. */
void nmi_clock_end(void);

/* The clock is being stopped: one NMI of it may still be on its way. Any context. */
void nmi_clock_lingers(void);
