/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The High Precision Event Timer, one comparator of it, as a repeated signal on a line of an I/O
 * interrupt controller. Source: IA-PC HPET Specification 1.0a. Boot, interrupts off, but for the
 * last three.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* NULL: it can be used, and is stopped; or why not. `mapped`: its registers. */
const char *hpet_init(volatile void *mapped);

/*
 * Runs from here on, until hpet_set_rate; how often it counts in a second. And where it is: 32
 * bits.
 */
uint32_t hpet_count_start(void);
uint32_t hpet_count(void);

/* Bit n: line n of all I/O interrupt controllers can be the signal's. */
uint32_t hpet_possible_lines(void);

/* It is this line's. */
void hpet_set_line(unsigned line);

/*
 * A signal so many times a second, 1 to 10000, beginning with a whole period; 0: none any more. One
 * CPU at a time, task context.
 */
void hpet_set_rate(unsigned hertz);

/*
 * As many a second from the next signal on, while there are any. On the CPU that asks hpet_came.
 * NMI-safe.
 */
void hpet_slow_down(unsigned hertz);

/*
 * Whether there was a signal since this was asked last. Only then will there be another. NMI-safe.
 */
bool hpet_came(void);
