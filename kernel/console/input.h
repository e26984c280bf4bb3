/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue of typed bytes between the serial interrupt and the console. One producer (the receive
 * interrupt or a poll) never waits for consumers: the console's task, which reads bytes, and the
 * thread that runs commands, which ^C interrupts. No byte is lost: while the queue is full, the
 * producer leaves bytes in the device, and flow control or the emulator holds them back. The
 * console's task also waits here for messages of other tasks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INPUT_QUEUE_SIZE 4096 /* a power of two */
#define INPUT_INTERRUPT  0x03 /* ^C */

/* --- Producer: interrupt context. --- */

/*
 * Queues a byte. False if the queue is full: the producer then keeps the byte, disables the
 * device's receive interrupt, and puts the byte again when the resume hook is called.
 *
 * ^C takes no room: input_interrupted() reports it at once, and unread bytes before it are dropped.
 */
bool input_put(uint8_t byte);

/* --- Consumers: task context. --- */

/*
 * A consumer calls `resume` (may be NULL) when a full queue has room again; `resume` may call
 * input_put.
 */
void input_set_resume(void (*resume)(void));

/*
 * Reads the next byte. Returns false if there is none. An unclaimed ^C is returned in its position.
 */
bool input_get(uint8_t *byte);

/*
 * Reserves each ^C typed from now on for a thread that runs commands while another reads bytes:
 * only input_interrupted and input_take_interrupt report it. On release, a ^C that was not taken
 * goes to input_get.
 */
void input_claim_interrupt(void);
void input_release_interrupt(void);

/* True if input_get would return a byte. */
bool input_pending(void);

/* True if a typed ^C has not been taken yet. Any context. */
bool input_interrupted(void);

/* Takes one ^C and drops the bytes typed before it; false if there is none. */
bool input_take_interrupt(void);

/* --- Waiting. Task context; the console's task only, unless a function says otherwise. --- */

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
