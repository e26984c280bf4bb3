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

#include "outside/request.h"
#include "outside/wire.h"

struct instruction;
struct last_interrupt;
struct lock;

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

/*
 * --- Who held each of the kernel's locks, and who waited for it: trace_locks.c ---
 *
 * Called by lock_functions.c and trace.c, with the plugin's lock, if run.trace.
 */

void trace_locks_begin(const struct request *request);

/* A thread has asked for a lock, at this place and time. */
struct trace_asking {
    struct wire_place place;
    uint64_t at; /* clock_sum */
    uint32_t thread;
    bool contended; /* another thread held it then */
};

/* After held_takes: the thread has the lock. */
void trace_locks_takes(const struct lock *lock, const struct trace_asking *asking);

/* Before held_gives. */
void trace_locks_gives(const struct lock *lock);

/* At the end: the thread still waits for it. */
void trace_locks_waits(const struct lock *lock, const struct trace_asking *asking);

/* As trace_cut. */
void trace_locks_cut(void);

/*
 * --- Who wakes whom: trace_wakes.c ---
 *
 * Known are the functions that make threads runnable, and those in which threads wait, with an
 * argument of each: a call of the first kind is for the threads that are in a function of the
 * second kind with the same value. If that is one thread, which no CPU runs, an arrow leads to its
 * next run. If there are several, the value does not tell which it is.
 *
 * QEMU 9.2 and later: the value is an argument. Called by judges.c and trace.c, with the plugin's
 * lock unless a function says otherwise.
 */

void trace_wakes_begin(const struct request *request);

void trace_wakes_slide(uint64_t by);

/* Registers the instruction's callback, if a function begins there. */
void trace_wakes_watch(const struct instruction *instruction);

/* The call of this number (follow_allocates) returns. False: it is none of a function to wait. */
bool trace_wakes_return(uint64_t number);

/* A CPU runs the thread from now on. */
void trace_wakes_run(uint32_t thread, unsigned cpu, uint64_t now);

/* The machine was reset. */
void trace_wakes_reset(void);
