/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes that a person typed, on their way from the serial interrupt to the console. One
 * producer (the receive interrupt, or a poll in its place), which never waits for consumers: the
 * console's task, which reads bytes, and the thread that runs commands, which ^C ends
 * (command_owner.h); these may be two tasks, on any CPUs. Nothing typed is lost: when the queue is
 * full the producer leaves the bytes in the device, where flow control or the emulator holds them
 * back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INPUT_QUEUE_SIZE 4096 /* a power of two */
#define INPUT_INTERRUPT  0x03 /* ^C */

/* --- The producer's side: interrupt context. --- */

/*
 * Takes the byte. False when the queue is full and did not take it: the producer then keeps it,
 * reads no more from the device (switches its receive interrupt off) and puts it again when the
 * resume hook is called.
 *
 * ^C takes no room. It is seen by input_interrupted() at once, and what was typed before it and
 * not yet read is dropped, as on any terminal.
 */
bool input_put(uint8_t byte);

/* `arrived` is called after each byte that was taken; may be NULL. Boot, before input comes. */
void input_set_arrived(void (*arrived)(void));

/* --- The consumer's side: task context. --- */

/*
 * `resume` is called from input_get when there is room again after a false from input_put; it
 * may put. May be NULL.
 */
void input_set_resume(void (*resume)(void));

/*
 * The next byte; false if there is none. A ^C comes out in its place among the others, unless it is
 * claimed.
 */
bool input_get(uint8_t *byte);

/*
 * ^C that is typed from here on is for a task that runs commands while another one reads bytes:
 * for input_interrupted and input_take_interrupt alone. With all other CPUs parked, by a debugger's
 * stop. That task releases it again when its commands have ended: what it has not taken is for
 * input_get.
 */
void input_claim_interrupt(void);
void input_release_interrupt(void);

/* True if input_get has something to give. */
bool input_pending(void);

/* True if a ^C was typed that has not been taken yet. Any context. */
bool input_interrupted(void);

/* Takes one ^C, and with it what was typed before; false if there is none. */
bool input_take_interrupt(void);
