/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the next thread and switches to it: for kernel/sched and the tick (docs/kernel.md). */
#pragma once

#include "core/pitot.h"
#include "kernel/lock/spinlock.h"
#include "kernel/sched/thread.h"

/* Sets up a CPU's scheduler: `first` runs now, `idle` when no thread can. Boot, interrupts off. */
void scheduler_init(unsigned cpu, struct thread *first, struct thread *idle);

/* Starts the other CPUs, each with its idle thread and ticks. Boot CPU, interrupts off. */
void cpus_start(void);

/*
 * Returns the started CPU with the fewest running and runnable threads, for a new thread. Any
 * context.
 */
unsigned scheduler_idlest_cpu(void);

/* Returns the thread running on `cpu`; on another CPU it may change at any time. Any context. */
const struct thread *scheduler_current(unsigned cpu);

/*
 * Returns the previous thread of this CPU's last switch. Until the switch is complete, the CPU is
 * on that thread's stack, but scheduler_current is already the next thread. Any context.
 */
const struct thread *scheduler_left(void);

/*
 * Puts the current thread to sleep until scheduler_wake, and releases `lock` once no wake-up can be
 * lost. Interrupts off before and after. Task context, holding only `lock`.
 */
void scheduler_sleep(struct spinlock *lock);

/* Makes a sleeping or new thread runnable. Task or interrupt context. */
void scheduler_wake(struct thread *thread);

/* Moves the current thread to the end of the run queue. Task context, no spinlock held. */
void scheduler_yield(void);

/*
 * Ends the current thread. The next thread then calls thread_ended, with interrupts off and without
 * spinlocks.
 */
_Noreturn void scheduler_end(void);
void thread_ended(struct thread *thread);

/* Called first by each new thread. Interrupts are on afterwards. */
void scheduler_begin(void);

/* The timer tick. Interrupt context. */
void scheduler_tick(void);

_Noreturn void scheduler_idle(void *unused);

/* Returns the CPU time for which the thread has not been charged yet; 0 if it is not running. */
uint64_t scheduler_turn_ns(const struct thread *thread);

/*
 * Tracepoints of threads. sched_switch and sched_wakeup are hit with the scheduler's lock held and
 * interrupts off, so recording them must not take a lock.
 */
PITOT_TRACEPOINT_DECLARE(sched_switch, 5);
PITOT_TRACEPOINT_DECLARE(sched_wakeup, 3);
PITOT_TRACEPOINT_DECLARE(sched_stat_runtime, 3);
PITOT_TRACEPOINT_DECLARE(sched_process_fork, 4);
PITOT_TRACEPOINT_DECLARE(sched_process_exit, 2);
