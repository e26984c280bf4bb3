/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rendezvous: making CPUs stop and wait. Each CPU's area has a word with the reasons for which the
 * CPU is asked to wait, a second word with the reasons for which it waits, and a pointer to the
 * registers at which it waits. docs/kernel.md explains the reasons, and which may interrupt which.
 * park.c (a change, a debugger's stop) and stop.c (a report, a halt) ask; the NMI serves the
 * requests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Bits of rendezvous_asked and stands (struct percpu). */
#define RENDEZVOUS_HALT   1u /* permanently, wherever the CPU is */
#define RENDEZVOUS_REPORT 2u /* until the report is complete, wherever the CPU is */
#define RENDEZVOUS_STOP   4u /* for a debugger: stops as soon as allowed; is in a stop */
#define RENDEZVOUS_HALTS  8u /* the CPU halts the others: not halted or parked itself. Only asked */
#define RENDEZVOUS_NUMBER 16u /* from this bit on, the number of a parking; 0: none */
#define RENDEZVOUS_PARK   (~(RENDEZVOUS_NUMBER - 1))

/* --- The requesting CPU. --- */

/* Add a reason, or remove it and return whether it was set. Neither sends an NMI. Any context. */
void rendezvous_ask(unsigned cpu, uint32_t reason);
bool rendezvous_ask_no_more(unsigned cpu, uint32_t reason);

/* True if the CPU has been asked for this and has not served the request. Any context. */
bool rendezvous_is_asked(unsigned cpu, uint32_t reason);

/*
 * Changes the number of the parking that the CPU is asked for; false if that was not `from`, or if
 * the CPU is halted, which is final. By the parker.
 */
bool rendezvous_ask_number(unsigned cpu, uint32_t from, uint32_t to);

/* The reasons for which the CPU waits. Any context. */
uint32_t rendezvous_reasons(unsigned cpu);

/*
 * True if, of `reasons`, all other running CPUs wait for exactly the set `exactly`; otherwise *one
 * is a CPU that does not.
 */
bool rendezvous_all_others(uint32_t reasons, uint32_t exactly, unsigned *one);

/*
 * Waits until rendezvous_all_others is true, for at most `limit` ns as counted by patience.h, and
 * sends another NMI to a CPU that could not serve the last one. The time of reports does not count.
 * False: *absent has not stopped.
 */
bool rendezvous_await(uint32_t reasons, uint32_t exactly, uint64_t limit, unsigned *absent);

/*
 * The total time, in ns, that CPUs have waited for reports: time in which no CPU ran. Any context.
 */
uint64_t rendezvous_lost_ns(void);

/* --- The waiting CPU. --- */

/* In an NMI: waits until no reason is left. Watches are off. */
void rendezvous_serve(struct regs *regs);

/*
 * Waits at these registers: first for `asked`, then for any of `serves` that are asked for, until
 * none is. In an NMI, or a trap with watches off.
 */
void rendezvous_wait(struct regs *regs, uint32_t serves, uint32_t asked);

/* Enter or leave a debugger's stop at these registers. They do not wait: the stop itself does. */
void rendezvous_enter_stop(struct regs *regs);
void rendezvous_leave_stop(void);

/*
 * Sets the function that RENDEZVOUS_STOP calls in the NMI; NULL: none. With all other CPUs parked.
 */
void rendezvous_set_stop(void (*stop)(struct regs *regs));

/*
 * Sets the function that a parked CPU calls while it waits; NULL: none. With all other CPUs parked.
 */
void rendezvous_set_meanwhile(void (*serve)(void));
