/* SPDX-License-Identifier: BSD-2-Clause */
/* The parker (arch/park.h; docs/kernel.md), for NMIs and stops. */
#pragma once

#include <stdbool.h>

struct regs;

/* In an NMI at these registers: true if nothing that a parker may change is in use. */
bool park_may(const struct regs *regs);

/* True if this CPU is the parker, perhaps in the middle of a change. Any context. */
bool park_is_parker(void);

/* True if *cpu is in a stop, or runs alone while the others are parked for one. Any context. */
bool park_has_lone(unsigned *cpu);

/*
 * Parks for a debugger's stop (arch/x86_64/debug/stop.c), in a debug trap after its hits, a
 * breakpoint's trap or an NMI. Waits for this CPU's turn, in which it may itself be parked at these
 * registers. If an earlier stop of this CPU or a change that the trap interrupted has parked the
 * others, only checks them. *absent: a CPU that is not stopped, so the stop must refuse changes, or
 * ARCH_NO_CPU. True: an earlier stop holds the others and lets only this CPU resume.
 */
bool park_for_stop(struct regs *regs, unsigned *absent);

/* Resumes all CPUs, after the change that the stop interrupted, if any. */
void park_end_stop(void);

/* Resumes one CPU; the others stay parked, and so does this one until a CPU releases all. */
void park_pass_on(unsigned cpu, struct regs *regs);

/* In an NMI: true if it interrupted neither a hit nor a CPU that parks for a change. */
bool park_may_stop(const struct regs *regs);
