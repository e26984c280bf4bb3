/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that each CPU's debug registers hold the watches armed there (arch_watch_audit): a
 * disarmed watch silently misses hits. Lapsed watches are armed again and counted; `perf record`,
 * `perf stat` and `cpus` report the count.
 */
#pragma once

#include <stdint.h>

/* Checks this CPU. Called from each of its tick interrupts. */
void breakpoint_audit(void);

/* Checks all CPUs. Called with the other CPUs parked. */
void breakpoint_audit_all(void);

/* How often that CPU's watches were found disarmed since boot. Any context. */
uint64_t breakpoint_lapses(unsigned cpu);
