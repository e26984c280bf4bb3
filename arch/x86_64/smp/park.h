/* SPDX-License-Identifier: BSD-2-Clause */
/* The parker (arch/park.h; docs/kernel.md), for NMIs and stops. */
#pragma once

#include <stdbool.h>

struct regs;

/* Called in an NMI: true if the code interrupted there uses nothing that a parker may change. */
bool park_may(const struct regs *regs);

/* True if this CPU is the parker, perhaps in the middle of a change. Any context. */
bool park_is_parker(void);

/*
 * True if a CPU (stored in *cpu) is in a stop, or runs alone while the others are parked for a
 * stop. Any context.
 */
bool park_has_lone(unsigned *cpu);

/*
 * Parks the others for a debugger's stop (arch/x86_64/debug/stop.c), in a debug trap after its
 * hits, a breakpoint's trap or an NMI. Waits for this CPU's turn, and while waiting may itself be
 * parked at these registers. If the others are already parked, by an earlier stop of this CPU or by
 * a change that the trap interrupted, only checks that they are. Stores in *absent a CPU that has
 * not stopped, so that the stop must refuse changes, or ARCH_NO_CPU. Returns true if an earlier
 * stop holds the others and lets only this CPU resume.
 */
bool park_for_stop(struct regs *regs, unsigned *absent);

/* Ends a stop's parking: resumes all CPUs, or leaves that to the change that it interrupted. */
void park_end_stop(void);

/*
 * Resumes one CPU, which becomes the parker; the others stay parked. This CPU then waits, and
 * returns when it may resume.
 */
void park_pass_on(unsigned cpu, struct regs *regs);
