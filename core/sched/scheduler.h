/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who runs next, and the switch to it. Called by core/sched (threads, wait queues) and by the timer
 * tick; docs/threads.md has the rules. Everyone else yields, sleeps or is preempted by them.
 */
#pragma once

#include "core/lock/spinlock.h"
#include "core/sched/thread.h"

/* This CPU runs `boot` already, and `idle` when there is nobody else. Once, interrupts off. */
void scheduler_init(struct thread *boot, struct thread *idle);

/*
 * The current thread sleeps until scheduler_wake; releases `lock` once no wake-up can be lost.
 * Interrupts are off before and after. Task context, `lock` the only one that is held.
 */
void scheduler_sleep(struct spinlock *lock);

/* A thread that sleeps, or is new, becomes runnable. Task or interrupt context. */
void scheduler_wake(struct thread *thread);

/* The current thread goes to the end of the run queue. Task context, no spinlock held. */
void scheduler_yield(void);

/* The current thread never runs again; `ended` in thread.c hears of it from whoever runs next. */
_Noreturn void scheduler_end(void);

/* The first thing that a new thread does. Interrupts are on afterwards. */
void scheduler_begin(void);

/* The timer's tick: interrupt context. */
void scheduler_tick(void);

/* For ever, as this CPU's idle thread. */
_Noreturn void scheduler_idle(void *unused);

/* How long the thread that runs has been running this time. */
uint64_t scheduler_turn_ns(void);
