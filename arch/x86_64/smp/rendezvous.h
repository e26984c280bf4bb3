/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making CPUs stop and wait (docs/kernel.md). Each CPU's area holds the reasons for which the CPU
 * is asked to wait, the reasons for which it waits, and its registers. park.c and stop.c ask, NMIs
 * serve.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Bits of rendezvous_asked and stands (struct percpu). */
#define RENDEZVOUS_HALT   1u  /* for good, wherever the CPU is */
#define RENDEZVOUS_REPORT 2u  /* during a report, wherever the CPU is */
#define RENDEZVOUS_STOP   4u  /* for a debugger, as soon as allowed; in `stands`: it is in a stop */
#define RENDEZVOUS_HALTS  8u  /* halts the others, so is not halted or parked; not in `stands` */
#define RENDEZVOUS_NUMBER 16u /* bits from here up: the parking's number, or 0 */
#define RENDEZVOUS_PARK   (~(RENDEZVOUS_NUMBER - 1))

/* --- The requesting CPU. --- */

/*
 * Add or remove a reason; removing returns true if it was set. Neither sends an NMI. Any context.
 */
void rendezvous_ask(unsigned cpu, uint32_t reason);
bool rendezvous_ask_no_more(unsigned cpu, uint32_t reason);

/* True if the request is not served yet. Any context. */
bool rendezvous_is_asked(unsigned cpu, uint32_t reason);

/*
 * Changes the number of the CPU's parking; false if it was not `from`, or the CPU is asked to halt.
 */
bool rendezvous_ask_number(unsigned cpu, uint32_t from, uint32_t to);

/* Returns the reasons for which the CPU waits. Any context. */
uint32_t rendezvous_reasons(unsigned cpu);

/*
 * True if, on every other running CPU, the reasons for which it waits, masked by `reasons`, equal
 * `exactly`. Otherwise stores a CPU that differs in *one.
 */
bool rendezvous_all_others(uint32_t reasons, uint32_t exactly, unsigned *one);

/*
 * Waits until rendezvous_all_others is true, for at most `limit` ns by patience.h, not counting the
 * time of reports. Repeats the NMI to a CPU that could not serve it. Returns false if a CPU (stored
 * in *absent) has not stopped.
 */
bool rendezvous_await(uint32_t reasons, uint32_t exactly, uint64_t limit, unsigned *absent);

/* The total time of reports, in ns, during which no CPU ran. Any context. */
uint64_t rendezvous_lost_ns(void);

/* --- The waiting CPU. --- */

/*
 * Called in an NMI, watches off: waits while there is a reason that this CPU can serve, then serves
 * a request for a debugger's stop.
 */
void rendezvous_serve(struct regs *regs);

/*
 * Waits at these registers for the reasons `asked`, then as long as any reason in `serves` is asked
 * for. Watches off.
 */
void rendezvous_wait(struct regs *regs, uint32_t serves, uint32_t asked);

/* Mark this CPU as in or out of a debugger's stop at these registers; they do not wait. */
void rendezvous_enter_stop(struct regs *regs);
void rendezvous_leave_stop(void);

/* Sets what an NMI calls for RENDEZVOUS_STOP; NULL: nothing. With all other CPUs parked. */
void rendezvous_set_stop(void (*stop)(struct regs *regs));

/* Sets what a parked CPU calls while it waits; NULL: nothing. With all other CPUs parked. */
void rendezvous_set_meanwhile(void (*serve)(void));

/*
 * --- How CPUs reach each other: by NMIs in Pitot's own kernel (kernel/x86_64/entry/nmi.c), in
 * another one by an interrupt of its own (arch/embed/park.c). ---
 */

/*
 * Interrupts the CPU, if CPUs can reach each other, so that it calls rendezvous_serve. The caller
 * stores the reason first. Any context.
 */
void reach_send(unsigned cpu);

/* This CPU is about to park the others. Interrupts off. */
void reach_begins(void);

/*
 * Another CPU parks: lets its interrupt come. `flags`: those before the caller turned interrupts
 * off, which may have moved to another CPU. Returns false if the interrupt cannot come.
 */
bool reach_waits(uint64_t flags);

/* This CPU has been parked, and resumes. In the interrupt. */
void reach_resumes(void);

struct regs;

/* --- The parker (arch/cpu.h; docs/kernel.md), for NMIs and stops: park.c. --- */

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
