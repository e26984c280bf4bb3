/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standing still. In each CPU's area, one word holds the reasons for which it is asked to stand
 * still, a second the reasons for which it stands still, and a pointer the registers at which it
 * does. docs/kernel.md explains the reasons, and which may interrupt which. park.c (a change, a
 * debugger's stop) and stop.c (a report, a halt) ask; the NMI serves.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Bits of rendezvous_asked and stands (struct percpu). */
#define RENDEZVOUS_HALT   1u /* for good, wherever the CPU is */
#define RENDEZVOUS_REPORT 2u /* until the report has been made, wherever it is */
#define RENDEZVOUS_STOP   4u /* for a debugger: makes a stop as soon as that may be; is in one */
#define RENDEZVOUS_HALTS                                                                           \
    8u /* the CPU halts the others: it is neither halted nor parked. Only asked */
#define RENDEZVOUS_NUMBER 16u /* from this bit on the number of a parking; 0: none */
#define RENDEZVOUS_PARK   (~(RENDEZVOUS_NUMBER - 1))

/* --- The CPU that asks. --- */

/* Adds a reason, or takes it away and returns whether it was there. Sends no NMI. Any context. */
void rendezvous_ask(unsigned cpu, uint32_t reason);
bool rendezvous_ask_no_more(unsigned cpu, uint32_t reason);

/* True if the CPU has been asked for this, and has not served it. Any context. */
bool rendezvous_is_asked(unsigned cpu, uint32_t reason);

/*
 * Changes the number of the parking that the CPU is asked for; false if it was not `from`, or the
 * CPU is halted, which is final. By the parker.
 */
bool rendezvous_ask_number(unsigned cpu, uint32_t from, uint32_t to);

/* The reasons for which it stands still. Any context. */
uint32_t rendezvous_reasons(unsigned cpu);

/*
 * True if all other CPUs that run stand still for exactly these of `reasons`; else *one is a CPU
 * that does not.
 */
bool rendezvous_all_others(uint32_t reasons, uint32_t exactly, unsigned *one);

/*
 * Waits for that, at most so many ns as patience.h counts them, and sends another NMI to a CPU that
 * could not serve the last one. The time of reports does not count. False: *absent does not stand
 * still.
 */
bool rendezvous_await(uint32_t reasons, uint32_t exactly, uint64_t limit, unsigned *absent);

/* How many ns, in all, CPUs have stood still for reports: time in which no CPU ran. Any context. */
uint64_t rendezvous_lost_ns(void);

/* --- The CPU that stands still. --- */

/* In an NMI: stands still until no reason is left. Watches are off. */
void rendezvous_serve(struct regs *regs);

/*
 * Stands still at these registers: at first for `asked`, then for those of `serves` that are asked
 * for, until there are none. In an NMI, or a trap with watches off.
 */
void rendezvous_wait(struct regs *regs, uint32_t serves, uint32_t asked);

/*
 * Enters or leaves a debugger's stop at these registers. It does not wait: the stop does.
 */
void rendezvous_enter_stop(struct regs *regs);
void rendezvous_leave_stop(void);

/* The function that RENDEZVOUS_STOP calls, in the NMI; NULL: none. With all other CPUs parked. */
void rendezvous_set_stop(void (*stop)(struct regs *regs));

/*
 * The function that a parked CPU calls while it stands still; NULL: none. With all other CPUs
 * parked.
 */
void rendezvous_set_meanwhile(void (*serve)(void));
