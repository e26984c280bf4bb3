/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether each CPU has the watches in its debug registers that are armed there (arch_watch_audit):
 * one that is off misses hits without a word. Where it was, it is put right, counted, and told by
 * `perf record`, `perf stat` and `cpus`.
 */
#pragma once

#include <stdint.h>

/* This CPU's, in the interrupt of each of its ticks. */
void breakpoint_audit(void);

/* Those of all CPUs; the others are parked. */
void breakpoint_audit_all(void);

/* How often that CPU's were found off since boot. Any context. */
uint64_t breakpoint_lapses(unsigned cpu);
