/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeping until something is typed. Task context, the console's task alone. */
#pragma once

#include <stdbool.h>

/* Once, before input comes: sleepers hear of it. */
void input_wait_init(void);

/* Until input_pending. */
void input_wait(void);

/*
 * Until `holds`, which is asked again when something is typed, ^C included, and after input_wake:
 * under a spinlock, interrupts off.
 */
void input_wait_until(bool (*holds)(void));

/* What the console's task waits for may be so now. Task or interrupt context. */
void input_wake(void);
