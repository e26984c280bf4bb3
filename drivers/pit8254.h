/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8254 interval timer: a reference for the time stamp counter at boot, then a source of ticks.
 * Source: Intel 8254 data sheet.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/entry/trap.h"
#include <stdint.h>

#define PIT_HERTZ      1193182u
#define PIT_COUNT_MASK 0xffffu

/*
 * Starts counter 2: pit_count rises from 0 to PIT_COUNT_MASK once, which takes 55 ms, and stays
 * there. False: there is no such timer. Boot, interrupts off.
 */
bool pit_count_start(void);
uint32_t pit_count(void);

/* Whether pit_count_start found the timer. */
bool pit_is_present(void);

/*
 * Starts interrupt 0, `hertz` times a second; each calls `interrupt` with the interrupted registers
 * (interrupt context). Boot, interrupts off.
 */
void pit_start(unsigned hertz, trap_handler *interrupt);

/*
 * Stops interrupt 0, whatever used it before. One more comes, at once, in emulators that do not
 * wait for the counter's gate. Boot, interrupts off.
 */
void pit_stop(void);

/* Changes the rate, to at least 19 a second, beginning with a whole period. Interrupts off. */
void pit_set_rate(unsigned hertz);
