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
