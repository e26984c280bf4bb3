/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One comparator of the High Precision Event Timer, as a periodic signal on a line of an I/O
 * interrupt controller. Source: IA-PC HPET Specification 1.0a. Boot, interrupts off, except for the
 * last three functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Stops the timer. `mapped`: its registers. Returns NULL, or why the timer cannot be used. */
const char *hpet_init(volatile void *mapped);

/*
 * hpet_count_start starts the counter, which runs until hpet_set_rate, and returns its counts per
 * second. hpet_count returns the low 32 bits of the counter.
 */
uint32_t hpet_count_start(void);
uint32_t hpet_count(void);

/* Bit n: the signal can use line n, counted over all I/O interrupt controllers. */
uint32_t hpet_possible_lines(void);

/* Sets the line of the signal. */
void hpet_set_line(unsigned line);

/*
 * Sets the number of signals per second, 1 to 10000, beginning with a whole period; 0: none. One
 * CPU at a time, task context.
 */
void hpet_set_rate(unsigned hertz);

/*
 * Changes the number of signals per second, from the next signal on. Called only while there are
 * signals, on the CPU that calls hpet_came. NMI-safe.
 */
void hpet_slow_down(unsigned hertz);

/*
 * Returns whether there was a signal since the last call. There is no further signal until this has
 * returned true. NMI-safe.
 */
bool hpet_came(void);
