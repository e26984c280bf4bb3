/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts ticks, and sets the rate of each CPU's timer interrupt: the tick rate or a multiple of it,
 * for events that need finer ticks. The tick rate itself stays the same. Only the boot CPU's ticks
 * are counted.
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
 * `set_rate` programs the timer of the CPU that calls it. It is called now, and whenever the rate
 * changes, with interrupts off. Boot.
 */
void ticks_start(void (*set_rate)(unsigned hertz));

/* Does the same on each CPU that starts later. */
void ticks_start_here(void);

/*
 * Sets the number of interrupts per tick; 1 at first. Takes effect at once on this CPU, on the
 * others at their next interrupt. Task context.
 */
void ticks_quicken(unsigned times);

/* Lowers the number of interrupts per tick to `times`, if it is higher. The timer's interrupt. */
void ticks_slow_down(unsigned times);

/* Called in each timer interrupt of this CPU: true if it is a tick. Interrupt context. */
bool ticks_due(void);

/* Number of timer interrupts that the CPU has served. Any context. */
uint64_t ticks_served(unsigned cpu);

/* Counts one tick. Called by the timer's interrupt. */
void ticks_count(void);
