/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeps until something is typed. Task context, the console's task only. */
#pragma once

#include <stdbool.h>

/* Sleeps until input_pending returns true. */
void input_wait(void);

/*
 * Sleeps until `holds` returns true. `holds` is called after each typed byte, ^C included, and each
 * input_wake, under a spinlock, interrupts off.
 */
void input_wait_until(bool (*holds)(void));

/* Makes the console's task check its condition again. Task or interrupt context. */
void input_wake(void);
