/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the boot CPU's ticks; sets each CPU's timer to the tick rate, or to a faster one for
 * events.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TICKS_A_SECOND 100
#define TICK_NS        (1000000000ull / TICKS_A_SECOND)

/* Maximum number of interrupts per tick: 10000 a second. */
#define TICKS_QUICKEN_MAX 100

extern volatile uint64_t ticks; /* written in interrupt context, read anywhere */

/*
 * Starts this CPU's timer. `set_rate` programs the timer of the CPU that calls it; it is called
 * with interrupts off, now and at each change. Boot.
 */
void ticks_start(void (*set_rate)(unsigned hertz));

/* Starts the timer of a CPU that has started later; called by that CPU. */
void ticks_start_here(void);

/*
 * Sets the interrupts per tick (1 at first): on this CPU now, on others at their next timer
 * interrupt. Task context.
 */
void ticks_quicken(unsigned times);

/* Lowers the interrupts per tick to `times` if there are more. Called in the timer's interrupt. */
void ticks_slow_down(unsigned times);

/*
 * Called in each timer interrupt of this CPU. Returns true if the interrupt is a tick. Interrupt
 * context.
 */
bool ticks_due(void);

/* Returns the number of timer interrupts that the CPU has served. Any context. */
uint64_t ticks_served(unsigned cpu);

/* Counts a tick. Called by the boot CPU's timer interrupt, once per tick. */
void ticks_count(void);
