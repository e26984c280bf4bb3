/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NMIs of a clock that all CPUs share (docs/sources.md), beside those by which CPUs reach each
 * other (arch/x86_64/smp/reach.h). nmi_trap serves both, on the NMI's page, watches off.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/regs.h"

/*
 * A clock that sends NMIs to the boot CPU, which forwards them. `came` is called on the boot CPU in
 * every NMI and returns true if the clock has sent one since the last call. `serve` is called on
 * each CPU except one that parks the others, with the interrupted registers and the time at which
 * the NMI began (arch_clock_ns). Boot.
 */
struct nmi_clock {
    bool (*came)(void);
    void (*serve)(const struct regs *regs, uint64_t began);
};
void nmi_set_clock(const struct nmi_clock *with);

/* The current clock, for code that wraps its functions. With all other CPUs parked. */
struct nmi_clock nmi_clock_now(void);

/* Stops serving the clock. Crash context. */
void nmi_clock_end(void);

/* The clock is being stopped: one more of its NMIs may arrive. Any context. */
void nmi_clock_lingers(void);
