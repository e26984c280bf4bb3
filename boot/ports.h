/* SPDX-License-Identifier: BSD-2-Clause */
/* Which wire is which: console on COM1, stream on COM2 or, without that, as text on COM1. */
#pragma once

#include "kernel/panic/panic.h"

/*
 * The console, for output. Without COM1 says so on port 0xE9, where all further output then goes,
 * and stops.
 */
void ports_init(void);

/* The console's input, by interrupt. Needs the interrupt controller. */
void ports_listen(void);

/* The console's port, for code that borrows it. */
struct uart;
struct uart *ports_console(void);

/* For panic_init: hurries the ports, and ends an emulator with a status that says failure. */
extern const struct panic_machine ports_panic;
