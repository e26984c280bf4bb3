/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting CPUs and waking them: for the scheduler, and for the boot. */
#pragma once

#include <stdbool.h>

struct arch_stack;

/*
 * Starts a CPU and waits until it is about to call `begin` on this stack, interrupts off, as the
 * outermost function; `begin` does not return. Returns false if the CPU did not start. Boot.
 */
bool arch_cpu_start(unsigned cpu, const struct arch_stack *stack, void (*begin)(void));

/* Makes the CPU leave arch_idle and check for a thread switch. Any context. */
void arch_cpu_poke(unsigned cpu);
