/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The use of each port: COM1 is the console. The stream leaves by a virtio port, by COM2 if there
 * is none, or as text by COM1 if there is neither.
 */
#pragma once

#include "kernel/panic/panic.h"

/* Sets up the console's output. Without COM1, says so on port 0xE9 and stops. */
void ports_init(void);

/*
 * Moves the stream to a virtio port, if there is one, and prints that, or why it cannot be used.
 * Called before the first recording. Boot, with page tables and a clock.
 */
void ports_find_faster(void);

/* Enables the console's input, by interrupt. Needs the interrupt controller. */
void ports_listen(void);

/* The console's port, for code that borrows it. */
struct uart;
struct uart *ports_console(void);

/* For panic_init: bounds the ports' waits, and exits an emulator with a status of failure. */
extern const struct panic_machine ports_panic;
