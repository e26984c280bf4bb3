/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which wire is which: console on COM1; the stream by a virtio port, else on COM2, else as text
 * on COM1.
 */
#pragma once

#include "kernel/panic/panic.h"

/*
 * The console, for output. Without COM1 says so on port 0xE9, where all further output then goes,
 * and stops.
 */
void ports_init(void);

/*
 * A virtio port, where there is one, has the stream from here on; before the first recording.
 * Says so, or why one that is there is not used. Boot, with page tables and a clock.
 */
void ports_find_faster(void);

/* The console's input, by interrupt. Needs the interrupt controller. */
void ports_listen(void);

/* The console's port, for code that borrows it. */
struct uart;
struct uart *ports_console(void);

/* For panic_init: hurries the ports, and ends an emulator with a status that says failure. */
extern const struct panic_machine ports_panic;
