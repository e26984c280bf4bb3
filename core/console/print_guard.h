/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU at a time writes to the console: between enter and leave it is this one. Calls nest, and
 * interrupts on the same CPU get through. Task and interrupt context.
 */
#pragma once

void print_guard_enter(void);
void print_guard_leave(void);

/* From here on nobody waits: all other CPUs have been halted. Crash context. */
void print_guard_break(void);
