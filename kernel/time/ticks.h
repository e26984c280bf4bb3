/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The periodic interrupt's count, and how often that interrupt comes on each CPU: as often as there
 * are ticks, or a whole number of times that, for events that need finer ticks; there are no more
 * ticks then. The boot CPU's are counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TICKS_A_SECOND 100
#define TICK_NS        (1000000000ull / TICKS_A_SECOND)

/* Interrupts a tick, at most: 10000 a second. */
#define TICKS_QUICKEN_MAX 100

extern volatile uint64_t ticks; /* written in interrupt context, read anywhere */

/*
 * `set_rate` tells the timer of the CPU that calls it how many interrupts a second there are to be:
 * now, and from now on when that changes, with interrupts off. Boot.
 */
void ticks_start(void (*set_rate)(unsigned hertz));

/* The same on each CPU that starts later. */
void ticks_start_here(void);

/*
 * Interrupts come so many times as often as ticks; 1 at first. Here from now on, on other CPUs from
 * their next interrupt on. Task context.
 */
void ticks_quicken(unsigned times);

/* ... no more than so many times as often. The timer's interrupt. */
void ticks_slow_down(unsigned times);

/* This CPU's timer interrupt has come: whether it is a tick. Interrupt context. */
bool ticks_due(void);

/* How many interrupts of its timer that CPU has served. Any context. */
uint64_t ticks_served(unsigned cpu);

/* Counts one. The timer's interrupt calls it. */
void ticks_count(void);
