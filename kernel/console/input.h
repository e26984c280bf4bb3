/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue of typed bytes between the serial interrupt and the console. There is one producer (the
 * receive interrupt, or a poll in its place), which never waits for consumers. The consumers are
 * the console's task, which reads bytes, and the thread that runs commands, which ^C interrupts
 * (command_owner.h); these may be two tasks, on any CPUs. No typed byte is lost: when the queue is
 * full, the producer leaves the bytes in the device, and flow control or the emulator holds them
 * back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INPUT_QUEUE_SIZE 4096 /* a power of two */
#define INPUT_INTERRUPT  0x03 /* ^C */

/* --- Producer: interrupt context. --- */

/*
 * Queues a byte. False if the queue is full: the producer then keeps the byte, stops reading from
 * the device (disables its receive interrupt) and puts the byte again when the resume hook is
 * called.
 *
 * ^C takes no room. input_interrupted() reports it at once, and bytes typed before it but not yet
 * read are dropped, as on any terminal.
 */
bool input_put(uint8_t byte);

/* `arrived` is called after each queued byte; may be NULL. Boot, before any input. */
void input_set_arrived(void (*arrived)(void));

/* --- Consumers: task context. --- */

/*
 * input_get calls `resume` when there is room again after input_put has returned false; `resume`
 * may call input_put. May be NULL.
 */
void input_set_resume(void (*resume)(void));

/*
 * Reads the next byte; false if there is none. ^C is returned in its position among the other
 * bytes, unless it is claimed.
 */
bool input_get(uint8_t *byte);

/*
 * Reserves each ^C typed from now on for a task that runs commands while another task reads bytes:
 * only input_interrupted and input_take_interrupt report it. Called with all other CPUs parked, by
 * a debugger's stop. The task releases the claim when its commands have finished; a ^C that it has
 * not taken then goes to input_get.
 */
void input_claim_interrupt(void);
void input_release_interrupt(void);

/* True if input_get would return a byte. */
bool input_pending(void);

/* True if a typed ^C has not been taken yet. Any context. */
bool input_interrupted(void);

/* Takes one ^C and drops the bytes typed before it; false if there is none. */
bool input_take_interrupt(void);
