/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread runs next, and the switch to it. Called by kernel/sched (threads, wait queues) and
 * by the timer tick; docs/kernel.md has the rules. All other code yields, sleeps or is preempted
 * by them.
 */
#pragma once

#include "kernel/lock/spinlock.h"
#include "kernel/sched/thread.h"

/*
 * The CPU runs `first` already, or will when it starts, and `idle` when there is no other thread.
 * Once a CPU, interrupts off, on the boot CPU.
 */
void scheduler_init(unsigned cpu, struct thread *first, struct thread *idle);

/* The running CPU with the fewest threads that run or could: for a new one. Any context. */
unsigned scheduler_idlest_cpu(void);

/* The thread that runs on that CPU; on another CPU it may change at any time. Any context. */
const struct thread *scheduler_current(unsigned cpu);

/*
 * The thread that this CPU's last switch left. Inside a switch the CPU still runs on that thread's
 * stack, while scheduler_current is the next thread already. Any context.
 */
const struct thread *scheduler_left(void);

/*
 * The current thread sleeps until scheduler_wake; releases `lock` once no wake-up can be lost.
 * Interrupts are off before and after. Task context, `lock` the only one that is held.
 */
void scheduler_sleep(struct spinlock *lock);

/* A thread that sleeps, or is new, becomes runnable. Task or interrupt context. */
void scheduler_wake(struct thread *thread);

/* The current thread goes to the end of the run queue. Task context, no spinlock held. */
void scheduler_yield(void);

/* The current thread never runs again; the next thread reports that to `ended` in thread.c. */
_Noreturn void scheduler_end(void);

/* The first thing that a new thread does. Interrupts are on afterwards. */
void scheduler_begin(void);

/* The timer's tick: interrupt context. */
void scheduler_tick(void);

/* For ever, as this CPU's idle thread. */
_Noreturn void scheduler_idle(void *unused);

/* How long the thread has been running this time; 0 if it does not run. */
uint64_t scheduler_turn_ns(const struct thread *thread);
