/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8254 interval timer: counts beside the time stamp counter once, then ticks. Source: Intel
 * 8254 data sheet.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/entry/trap.h"
#include <stdint.h>

#define PIT_HERTZ      1193182u
#define PIT_COUNT_MASK 0xffffu

/*
 * Counter 2 counts upwards from 0, once to the mask's end, which takes 55 ms, and stays there.
 * False: there is no such timer. Boot, interrupts off.
 */
bool pit_count_start(void);
uint32_t pit_count(void);

/* Whether there was one. */
bool pit_is_present(void);

/*
 * Interrupt 0 `hertz` times a second; each calls `interrupt` with what it interrupted (interrupt
 * context). Boot, interrupts off.
 */
void pit_start(unsigned hertz, trap_handler *interrupt);

/*
 * No interrupt 0 from here on, whatever used it before; but for one, at once, in emulators whose
 * counter does not wait for its gate. Boot, interrupts off.
 */
void pit_stop(void);

/* Another rate, from 19 a second, beginning with a whole period. Interrupts off. */
void pit_set_rate(unsigned hertz);
