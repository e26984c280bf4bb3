/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of `perf record -- COMMAND`: host.follow chooses them, and the host reports at each
 * switch whether the next thread is followed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"

/* True while a followed thread runs on the CPU. [owning CPU; others while it is parked] */
extern bool task_followed[ARCH_CPUS_MAX];

/* Called at `now` (arch_clock_ns), on that CPU with interrupts off or while it is parked. */
void task_follow(unsigned cpu, bool followed, uint64_t now);

/* CPU time of followed threads, in ns. Called on that CPU in any context, or while it is parked. */
uint64_t task_followed_ns(unsigned cpu);
