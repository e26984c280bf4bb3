/* SPDX-License-Identifier: BSD-2-Clause */
/* The parker (arch_cpus_park, arch/park.h; docs/kernel.md), for NMIs and stops. */
#pragma once

#include <stdbool.h>

struct regs;

/*
 * In an NMI that has interrupted these registers: true if no operation is in progress that a parker
 * may change.
 */
bool park_may(const struct regs *regs);

/* This CPU parks the others: it may have changed half of something. Any context. */
bool park_is_parker(void);

/* *cpu runs alone, or is in a stop, while the others stand still because of a stop. Any context. */
bool park_has_lone(unsigned *cpu);

/*
 * Parking for a debugger's stop (arch/x86_64/debug/stop.c), in a debug trap after its hits, a
 * breakpoint's trap or an NMI: waits for its turn, where it can be parked itself, with these
 * registers. Does nothing but look where the others stand still already: for this CPU's stop
 * before, or for a change of its own that a breakpoint instruction or a step has come upon.
 * *absent is a CPU that does not stand still, and then what a stop changes has to be refused; or
 * ARCH_NO_CPU. True: an earlier stop holds the others, and lets this CPU alone resume.
 */
bool park_for_stop(struct regs *regs, unsigned *absent);

/* All CPUs resume; if the stop interrupted a change, they do so when the change has ended. */
void park_end_stop(void);

/*
 * Lets one CPU resume; the others, this one included, stay parked. Returns when a CPU releases all.
 */
void park_pass_on(unsigned cpu, struct regs *regs);

/* In an NMI: it has not interrupted a hit, nor a CPU that has parked the others for a change. */
bool park_may_stop(const struct regs *regs);
