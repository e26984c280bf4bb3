/* SPDX-License-Identifier: BSD-2-Clause */
/* The parker (arch_cpus_park, arch/park.h; docs/kernel.md), for NMIs and stops. */
#pragma once

#include <stdbool.h>

struct regs;

/*
 * In an NMI that has interrupted these registers: true if no operation that a parker may change is
 * in progress.
 */
bool park_may(const struct regs *regs);

/* True if this CPU parks the others: it may be in the middle of a change. Any context. */
bool park_is_parker(void);

/* True if *cpu runs alone or is in a stop while the others are parked for a stop. Any context. */
bool park_has_lone(unsigned *cpu);

/*
 * Parks for a debugger's stop (arch/x86_64/debug/stop.c), in a debug trap after its hits, a
 * breakpoint's trap or an NMI: waits for its turn, during which this CPU can be parked itself, with
 * these registers. Only checks the others if they are parked already: for an earlier stop of this
 * CPU, or for a change of its own that a breakpoint instruction or a step has interrupted. *absent
 * is a CPU that is not stopped, in which case a stop must refuse changes; or ARCH_NO_CPU. True: an
 * earlier stop holds the others, and lets only this CPU resume.
 */
bool park_for_stop(struct regs *regs, unsigned *absent);

/* Resumes all CPUs; if the stop interrupted a change, they resume when the change has ended. */
void park_end_stop(void);

/* Resumes one CPU; the others, including this one, stay parked. Returns when a CPU releases all. */
void park_pass_on(unsigned cpu, struct regs *regs);

/*
 * In an NMI: true if it has interrupted neither a hit, nor a CPU that parks the others for a
 * change.
 */
bool park_may_stop(const struct regs *regs);
