/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who ran when: each thread's calls, interrupts and system calls as slices of time, and which
 * thread each CPU ran. Called by outside/plugin/run.c for `pitot trace`.
 *
 * Times are of one clock, clock_sum: the instructions that all CPUs have executed. What one CPU
 * has done before another one could see it has an earlier time, or the same.
 *
 * A thread's open slices mirror its chain: each is a context of the path that ends in the current
 * one. track.h has them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/last.h"
#include "outside/request.h"

/* After follow_init. False: no memory. */
bool trace_begin(const struct request *request);

/*
 * For most calls and returns, after follow_calls and follow_returns: these need no lock, unless a
 * slice must be sent. `entry`: the callee's first instruction, 0: not known yet; `ip`: the return.
 */
void trace_called(unsigned cpu, uint64_t entry);
void trace_returned(unsigned cpu, uint64_t ip);

/* The innermost function, whose entry was not known, begins at `ip`. Needs the lock. */
void trace_entered(unsigned cpu, uint64_t ip);

/*
 * The follower's context or thread may be another one. `called`: a callee or handler has begun,
 * whose first instruction is `entry`, 0: not known; `interrupt`: NULL, or by this one. Needs the
 * lock.
 */
void trace_change(unsigned cpu, bool called, uint64_t entry,
                  const struct last_interrupt *interrupt);

/* The window may have opened or closed, or the stacks are forgotten: all slices end here. */
void trace_cut(void);

/* At the end: all slices end; reports what was summed. */
void trace_tell(void);
