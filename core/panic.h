/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end: a report of why, the registers, how we got here and what happened just before, then the
 * machine stops. Crash context: any stack, any lock held; takes no lock, allocates nothing, prints
 * by polling.
 */
#pragma once

#include "arch/arch.h"

__attribute__((format(printf, 1, 2))) _Noreturn void panic(const char *format, ...);

/*
 * Sends unexpected exceptions here; `stop` is called last, to end the emulator or the like, and may
 * return. Boot.
 */
void panic_init(void (*stop)(void));

/* "bt": the chain from `regs` to the console, one line a frame, and why it ends where it ends. */
void panic_print_chain(const struct regs *regs);
