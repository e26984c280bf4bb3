/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One comparator of the High Precision Event Timer, as a periodic signal on a line of an I/O APIC.
 * Source: IA-PC HPET Specification 1.0a. Boot, interrupts off, except for the last three functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Stops the timer, whose registers are `mapped`. Returns NULL, or why it cannot be used. */
const char *hpet_init(volatile void *mapped);

/*
 * hpet_count_start starts the counter, which runs until hpet_set_rate, and returns its rate.
 * hpet_count returns its low 32 bits.
 */
uint32_t hpet_count_start(void);
uint32_t hpet_count(void);

/* Returns a mask: bit n is set if the signal can use line n, counted over all I/O APICs. */
uint32_t hpet_possible_lines(void);

void hpet_set_line(unsigned line);

/*
 * Sets the signals per second, 1 to 10000, or 0 for none. The first comes after a whole period.
 * Task context, one CPU.
 */
void hpet_set_rate(unsigned hertz);

/*
 * Lowers the rate, from the next signal on. Called only while there are signals, on the CPU that
 * calls hpet_came. NMI-safe.
 */
void hpet_slow_down(unsigned hertz);

/*
 * Returns true if a signal has come since the last call. The next signal comes only after this
 * call. NMI-safe.
 */
bool hpet_came(void);
