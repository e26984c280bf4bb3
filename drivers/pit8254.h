/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8254 interval timer: measures the time stamp counter once, then ticks. Source: Intel 8254
 * data sheet.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/trap.h"
#include <stdint.h>

/*
 * Runs the clock (arch/x86_64/clock.h) at the rate found by counter 2. About 25 ms; boot,
 * interrupts off. False: there is no such timer.
 */
bool pit_calibrate(void);

/*
 * Interrupt 0 `hertz` times a second; each calls `interrupt` with what it interrupted (interrupt
 * context). Boot, interrupts off.
 */
void pit_start(unsigned hertz, trap_handler *interrupt);

/*
 * No interrupt 0 from here on, whoever used it before; but for one, at once, in emulators whose
 * counter does not wait for its gate. Boot, interrupts off.
 */
void pit_stop(void);

/* Another rate, from 19 a second, beginning with a whole period. Interrupts off. */
void pit_set_rate(unsigned hertz);
