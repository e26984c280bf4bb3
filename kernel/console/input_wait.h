/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for typed bytes, and for messages of other tasks. Task context; the console's task only,
 * unless a function says otherwise.
 */
#pragma once

#include <stdbool.h>

/* Sleeps until input_pending returns true or a message is there. */
void input_wait(void);

/*
 * True if another task has printed a message since the last call: the line that is being typed has
 * to be shown again.
 */
bool input_take_message(void);

/* Another task has printed a message. Any task. */
void input_tell_message(void);

/*
 * Sleeps until `holds` returns true. `holds` is called after each typed byte, ^C included, and each
 * input_wake, under a spinlock, interrupts off.
 */
void input_wait_until(bool (*holds)(void));

/* Makes the console's task check its condition again. Task or interrupt context. */
void input_wake(void);
