/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets one CPU at a time print; nests, also in interrupts. Task and interrupt context. */
#pragma once

#include <stdint.h>

void print_guard_enter(void);
void print_guard_leave(void);

/*
 * After this call no CPU waits for the guard. All other CPUs must have been halted. Crash context.
 */
void print_guard_break(void);

/* For a report in an NMI while all other CPUs are stopped: borrows the guard from its owner. */
struct print_guard_kept {
    uint32_t owner;
    unsigned depth;
};
struct print_guard_kept print_guard_seize(void);
void print_guard_give_back(const struct print_guard_kept *kept);
