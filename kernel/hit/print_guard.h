/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU at a time writes to the console: between enter and leave it is this one. Calls nest, and
 * interrupts on the same CPU get through. Task and interrupt context.
 */
#pragma once

#include <stdint.h>

void print_guard_enter(void);
void print_guard_leave(void);

/* From here on no CPU waits for the guard: all other CPUs have been halted. Crash context. */
void print_guard_break(void);

/*
 * For a report in an NMI, for which all other CPUs stand still: it prints now, and a print that it
 * interrupted continues afterwards.
 */
struct print_guard_kept {
    uint32_t owner;
    unsigned depth;
};
struct print_guard_kept print_guard_seize(void);
void print_guard_give_back(const struct print_guard_kept *kept);
