/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that a recording follows: those of `perf record -- COMMAND`. The host says at each
 * switch whether the thread that comes is one (host.follow says which they are).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"

/* Whether one runs on each CPU. Stored by that CPU, or while it is parked; read in any context. */
extern bool task_followed[ARCH_CPUS_MAX];

/*
 * One runs on that CPU from `now` (arch_clock_ns) on, or none does. On that CPU with interrupts
 * off, or while it is parked.
 */
void task_follow(unsigned cpu, bool followed, uint64_t now);

/* The CPU time that they have had there, up to now. There in any context, or while it is parked. */
uint64_t task_followed_ns(unsigned cpu);
