/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standing still: one word of each CPU's says what it is asked to stand still for, a second what it
 * stands still for, and one pointer at what. docs/kernel.md has the reasons, and which of them may
 * come inside which. For park.c (a change, a debugger's stop) and stop.c (a report; for good),
 * which ask, and for the NMI, which serves.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Bits of stand_asked and stands (struct percpu). */
#define STAND_HALT   1u  /* for good, wherever the CPU is */
#define STAND_REPORT 2u  /* until the report has been made, wherever it is */
#define STAND_STOP   4u  /* for a debugger: makes a stop as soon as that may be; is in one */
#define STAND_HALTS  8u  /* the CPU halts the others: it is neither halted nor parked. Only asked */
#define STAND_NUMBER 16u /* from this bit on the number of a parking; 0: none */
#define STAND_PARK   (~(STAND_NUMBER - 1))

/* --- The CPU that asks. --- */

/* The CPU is asked for that, too, or no more. Sends no NMI. Any context. */
void stand_ask(unsigned cpu, uint32_t reason);
void stand_ask_no_more(unsigned cpu, uint32_t reason);

/* It has been asked, and has not served that. Any context. */
bool stand_is_asked(unsigned cpu, uint32_t reason);

/*
 * The number of the parking that it is asked for, from the one to the other; false if that was not
 * the one, or it is halted, which is final. By the parker.
 */
bool stand_ask_number(unsigned cpu, uint32_t from, uint32_t to);

/* What it stands still for. Any context. */
uint32_t stand_reasons(unsigned cpu);

/* Whether all others that run stand for just these of `reasons`; else *one does not. */
bool stand_all_others(uint32_t reasons, uint32_t exactly, unsigned *one);

/*
 * Waits for that, for so many ns at most, and sends another NMI to a CPU that could not serve the
 * last. Time that reports have taken does not count. False: *absent does not.
 */
bool stand_await(uint32_t reasons, uint32_t exactly, uint64_t patience, unsigned *absent);

/* For so long, in all, CPUs have stood still for reports: ns in which no CPU ran. Any context. */
uint64_t stand_lost_ns(void);

/* --- The CPU that stands still. --- */

/* In an NMI: stands still in here while that is what is asked for. Watches are off. */
void stand_serve(struct regs *regs);

/*
 * Stands still at these registers, at first for `asked`, then for what of `serves` is asked for,
 * until that is nothing. In an NMI, or a trap with watches off.
 */
void stand_still(struct regs *regs, uint32_t serves, uint32_t asked);

/*
 * This CPU is in a debugger's stop, at these registers, until it leaves that. Nothing waits in
 * here: the stop does.
 */
void stand_enter_stop(struct regs *regs);
void stand_leave_stop(void);

/* What STAND_STOP calls, in the NMI; NULL: nothing. With all other CPUs parked. */
void stand_set_stop(void (*stop)(struct regs *regs));

/* What a parked CPU calls while it stands still; NULL: nothing. With all other CPUs parked. */
void stand_set_meanwhile(void (*serve)(void));
