/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of `perf record -- COMMAND`: host.follow chooses them, and the host reports at each
 * switch, by pitot_follow, whether the next thread is followed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"

/* True while a followed thread runs on the CPU. [owning CPU; others while it is parked] */
extern bool task_followed[ARCH_CPUS_MAX];

/* CPU time of followed threads, in ns. Called on that CPU in any context, or while it is parked. */
uint64_t task_followed_ns(unsigned cpu);
