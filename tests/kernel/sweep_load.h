/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load under which tests/kernel/sweep_suite.c sets its breakpoints: on each CPU threads that
 * use files; memory, locks, switches and new threads; and timers, work and wake-ups. Counters show
 * that each of them, and each CPU's interrupts, still make progress. Task context of the boot
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"

#define LOAD_PARTS 3 /* threads per CPU */

void sweep_load_start(void);

/* Ends all threads and waits for them; NULL, or what went wrong in one. */
const char *sweep_load_stop(void);

/* The progress of everything. */
struct sweep_marks {
    uint64_t operations[ARCH_CPUS_MAX][LOAD_PARTS]; /* of each thread */
    uint64_t ticks[ARCH_CPUS_MAX];                  /* of each CPU's timer */
};

void sweep_marks_take(struct sweep_marks *marks);

/*
 * Waits until, since `since`, each thread has done something, each CPU's timer has fired, and each
 * CPU has answered an interrupt that was sent to it. NULL, or the name of what has not done so for
 * half a minute (in memory that the next call overwrites).
 */
const char *sweep_load_await(const struct sweep_marks *since);

/* Interrupts sent to CPUs, and answered by them: equal unless one was lost. */
struct sweep_pokes {
    uint64_t sent, answered;
};
struct sweep_pokes sweep_pokes(void);
