/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One comparator of the High Precision Event Timer, as a periodic signal on a line of an I/O APIC.
 * Source: IA-PC HPET Specification 1.0a. Boot, interrupts off, except for the last three functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Stops the timer. `mapped`: its registers. Returns NULL, or why it cannot be used. */
const char *hpet_init(volatile void *mapped);

/* Starts the counter until hpet_set_rate, and returns its rate. hpet_count: its low 32 bits. */
uint32_t hpet_count_start(void);
uint32_t hpet_count(void);

/* Bit n: the signal can use line n, counted over all I/O APICs. */
uint32_t hpet_possible_lines(void);

void hpet_set_line(unsigned line);

/* Signals per second, 1 to 10000, after a whole period; 0: none. Task context, one CPU. */
void hpet_set_rate(unsigned hertz);

/*
 * Takes effect from the next signal. Only while there are signals, on the CPU that calls hpet_came.
 * NMI-safe.
 */
void hpet_slow_down(unsigned hertz);

/* True if a signal came since the last call; the next comes only after that. NMI-safe. */
bool hpet_came(void);
