/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that each CPU's debug registers hold the watches armed there (arch_watch_audit): a
 * disarmed watch misses hits silently. Lapsed watches are armed again and counted.
 */
#pragma once

#include <stdint.h>

/* Checks this CPU. Tick interrupt. */
void breakpoint_audit(void);

/* Checks all CPUs; the others are parked. */
void breakpoint_audit_all(void);

/* How often that CPU's watches were found disarmed since boot. Any context. */
uint64_t breakpoint_lapses(unsigned cpu);
