/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads followed by a recording: those of `perf record -- COMMAND`. host.follow chooses them, and
 * the host reports at each thread switch whether the next thread is followed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"

/*
 * Per CPU: true while a followed thread runs there. Stored by that CPU, or while it is parked; read
 * in any context.
 */
extern bool task_followed[ARCH_CPUS_MAX];

/*
 * Records whether a followed thread runs on this CPU from `now` (arch_clock_ns) on. Called on that
 * CPU with interrupts off, or while it is parked.
 */
void task_follow(unsigned cpu, bool followed, uint64_t now);

/*
 * Returns the CPU time that followed threads have used on this CPU so far. Called on that CPU in
 * any context, or while it is parked.
 */
uint64_t task_followed_ns(unsigned cpu);
