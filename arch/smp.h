/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting CPUs, and calling one's attention: for the scheduler, and for the boot.
 */
#pragma once

#include <stdbool.h>

struct arch_stack;

/*
 * Starts one, and waits until it is about to call `begin`, interrupts off, as the outermost
 * function on this stack; `begin` does not return. False: it did not start. Boot.
 */
bool arch_cpu_start(unsigned cpu, const struct arch_stack *stack, void (*begin)(void));

/* Takes it out of arch_idle, and has its interrupts' exit look for a switch. Any context. */
void arch_cpu_poke(unsigned cpu);
