/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that each CPU's debug registers hold the watches that are armed there (arch_watch_audit):
 * a watch that is off misses hits silently. If one is off, it is armed again and counted, and `perf
 * record`, `perf stat` and `cpus` report it.
 */
#pragma once

#include <stdint.h>

/* Checks this CPU. Called in the interrupt of each of its ticks. */
void breakpoint_audit(void);

/* Checks all CPUs; the others are parked. */
void breakpoint_audit_all(void);

/* How often that CPU's watches were found off since boot. Any context. */
uint64_t breakpoint_lapses(unsigned cpu);
