/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NMIs: from one CPU to another, and from a clock that all CPUs share; docs/sources.md has the
 * design. Sending: any context. Served in nmi_trap, on the NMI's page, watches off.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/regs.h"

/*
 * Sends an NMI to that CPU, which will see that it was sent. The caller has stored the reason
 * before.
 */
void nmi_send(unsigned cpu);

/*
 * A clock whose NMIs come to the boot CPU, which passes them on to all others. `came` is called
 * there in every NMI: has the clock sent one since the last call? `serve` is called on each CPU
 * with the interrupted registers and the time (arch_clock_ns), but not on a CPU that parks the
 * others. Called at boot.
 */
struct nmi_clock {
    bool (*came)(void);
    void (*serve)(const struct regs *regs, uint64_t began);
};
void nmi_set_clock(const struct nmi_clock *with);

/*
 * The present clock, for code that puts a function of its own before the clock's. With all other
 * CPUs parked.
 */
struct nmi_clock nmi_clock_now(void);

/* From here on the clock is not served. Crash context. */
void nmi_clock_end(void);

/* The clock is being stopped: one more of its NMIs may still come. Any context. */
void nmi_clock_lingers(void);
