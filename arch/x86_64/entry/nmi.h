/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NMIs: from one CPU to another, and from a clock that all CPUs share; docs/sources.md has the
 * design. Sending: any context. Served in nmi_trap, on the NMI's page, watches off.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/regs.h"

/* Sends an NMI to that CPU, which can tell that it was sent. The caller stores the reason first. */
void nmi_send(unsigned cpu);

/*
 * A clock that sends NMIs to the boot CPU, which forwards them to all other CPUs. `came` is called
 * on the boot CPU in every NMI and returns whether the clock has sent one since the last call.
 * `serve` is called on each CPU with the interrupted registers and the time (arch_clock_ns), except
 * on a CPU that parks the others. Called at boot.
 */
struct nmi_clock {
    bool (*came)(void);
    void (*serve)(const struct regs *regs, uint64_t began);
};
void nmi_set_clock(const struct nmi_clock *with);

/* The current clock, for code that wraps the clock's functions. With all other CPUs parked. */
struct nmi_clock nmi_clock_now(void);

/* Stops serving the clock from now on. Crash context. */
void nmi_clock_end(void);

/* Notes that the clock is being stopped: one more of its NMIs may still arrive. Any context. */
void nmi_clock_lingers(void);
