/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making CPUs stop and wait (docs/kernel.md). Each CPU's area has the reasons for which it is asked
 * to wait and for which it waits, and its registers. park.c and stop.c ask, NMIs serve.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/* Bits of rendezvous_asked and stands (struct percpu). */
#define RENDEZVOUS_HALT   1u  /* for good, wherever the CPU is */
#define RENDEZVOUS_REPORT 2u  /* during a report, wherever the CPU is */
#define RENDEZVOUS_STOP   4u  /* for a debugger, as soon as allowed; in a stop */
#define RENDEZVOUS_HALTS  8u  /* it halts the others: not halted or parked itself. Only asked */
#define RENDEZVOUS_NUMBER 16u /* from here on a parking's number; 0: none */
#define RENDEZVOUS_PARK   (~(RENDEZVOUS_NUMBER - 1))

/* --- The requesting CPU. --- */

/* Add a reason, or remove it; true if it was set. Neither sends an NMI. Any context. */
void rendezvous_ask(unsigned cpu, uint32_t reason);
bool rendezvous_ask_no_more(unsigned cpu, uint32_t reason);

/* True if the request is not served yet. Any context. */
bool rendezvous_is_asked(unsigned cpu, uint32_t reason);

/* Changes the CPU's parking from `from` to `to`; false if it was another, or the CPU is halted. */
bool rendezvous_ask_number(unsigned cpu, uint32_t from, uint32_t to);

/* Why the CPU waits. Any context. */
uint32_t rendezvous_reasons(unsigned cpu);

/* True if each other running CPU waits for exactly `exactly` of `reasons`; else *one does not. */
bool rendezvous_all_others(uint32_t reasons, uint32_t exactly, unsigned *one);

/*
 * Waits for rendezvous_all_others, for at most `limit` ns by patience.h, without the time of
 * reports, and repeats the NMI for a CPU that could not serve it. False: *absent has not stopped.
 */
bool rendezvous_await(uint32_t reasons, uint32_t exactly, uint64_t limit, unsigned *absent);

/* The total time of reports, in ns, during which no CPU ran. Any context. */
uint64_t rendezvous_lost_ns(void);

/* --- The waiting CPU. --- */

/* In an NMI, watches off: waits until no reason is left. */
void rendezvous_serve(struct regs *regs);

/* Waits at these registers for `asked`, then while any of `serves` is asked for. Watches off. */
void rendezvous_wait(struct regs *regs, uint32_t serves, uint32_t asked);

/* Enter or leave a debugger's stop at these registers; the stop itself waits. */
void rendezvous_enter_stop(struct regs *regs);
void rendezvous_leave_stop(void);

/* Sets what RENDEZVOUS_STOP calls in the NMI; NULL: nothing. With all other CPUs parked. */
void rendezvous_set_stop(void (*stop)(struct regs *regs));

/* Sets what a parked CPU calls while it waits; NULL: nothing. With all other CPUs parked. */
void rendezvous_set_meanwhile(void (*serve)(void));
