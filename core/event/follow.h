/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that a recording follows: those of `perf record -- COMMAND`. The host tells at each
 * switch whether the next thread is one of them (host.follow tells which they are).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"

/*
 * Whether a followed thread runs on each CPU. Stored by that CPU, or while it is parked; read in
 * any context.
 */
extern bool task_followed[ARCH_CPUS_MAX];

/*
 * From `now` (arch_clock_ns) on, a followed thread runs on this CPU, or none does. Called on that
 * CPU with interrupts off, or while it is parked.
 */
void task_follow(unsigned cpu, bool followed, uint64_t now);

/*
 * The CPU time that followed threads have had on this CPU, up to now. Called on that CPU in any
 * context, or while it is parked.
 */
uint64_t task_followed_ns(unsigned cpu);
