/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU at a time writes to the console: between enter and leave it is this one. Calls nest, and
 * interrupts on the same CPU get through. Task and interrupt context.
 */
#pragma once

#include <stdint.h>

void print_guard_enter(void);
void print_guard_leave(void);

/* From here on nobody waits: all other CPUs have been halted. Crash context. */
void print_guard_break(void);

/*
 * A report in an NMI, which all other CPUs stand still for: it prints now, and who was printing
 * goes on with that afterwards.
 */
struct print_guard_kept {
    uint32_t owner;
    unsigned depth;
};
struct print_guard_kept print_guard_seize(void);
void print_guard_give_back(const struct print_guard_kept *kept);
