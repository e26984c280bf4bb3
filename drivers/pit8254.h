/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8254 timer: a reference for the clock at boot, then ticks. Source: Intel 8254 data sheet. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/entry/trap.h"

#define PIT_HERTZ      1193182u
#define PIT_COUNT_MASK 0xffffu

/*
 * Starts counter 2: pit_count rises from 0 to PIT_COUNT_MASK once, in 55 ms, and stays there.
 * Returns false if there is no such timer. Boot, interrupts off.
 */
bool pit_count_start(void);
uint32_t pit_count(void);

/* True if pit_count_start has found the timer. */
bool pit_is_present(void);

/* Starts interrupt 0, `hertz` times a second. Boot, interrupts off. */
void pit_start(unsigned hertz, trap_handler *interrupt);

/*
 * Stops interrupt 0. Emulators that do not wait for the counter's gate raise it once more, at once.
 * Boot, interrupts off.
 */
void pit_stop(void);

/* Sets the rate, at least 19 a second, which begins with a whole period. Interrupts off. */
void pit_set_rate(unsigned hertz);
