/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the next thread and switches to it. Called by kernel/sched (threads, wait queues) and by
 * the timer tick; docs/kernel.md has the rules. All other code yields or sleeps through these, or
 * is preempted.
 */
#pragma once

#include "kernel/lock/spinlock.h"
#include "kernel/sched/thread.h"

/*
 * Sets up the scheduler of a CPU that runs `first` already, or will when it starts, and `idle` when
 * no other thread is runnable. Once per CPU, interrupts off, on the boot CPU.
 */
void scheduler_init(unsigned cpu, struct thread *first, struct thread *idle);

/* The running CPU with the fewest running and runnable threads, for a new thread. Any context. */
unsigned scheduler_idlest_cpu(void);

/* The thread running on `cpu`; on another CPU it may change at any time. Any context. */
const struct thread *scheduler_current(unsigned cpu);

/*
 * The previous thread of this CPU's last switch. During a switch the CPU still runs on that
 * thread's stack, while scheduler_current is already the next thread. Any context.
 */
const struct thread *scheduler_left(void);

/*
 * Puts the current thread to sleep until scheduler_wake, and releases `lock` once no wake-up can be
 * lost. Interrupts are off before and after. Task context, holding only `lock`.
 */
void scheduler_sleep(struct spinlock *lock);

/* Makes a sleeping or new thread runnable. Task or interrupt context. */
void scheduler_wake(struct thread *thread);

/* Moves the current thread to the end of the run queue. Task context, no spinlock held. */
void scheduler_yield(void);

/* Ends the current thread; the next thread calls thread_ended in thread.c. */
_Noreturn void scheduler_end(void);

/* Called first by each new thread. Interrupts are on afterwards. */
void scheduler_begin(void);

/* The timer tick. Interrupt context. */
void scheduler_tick(void);

/* Runs forever, as this CPU's idle thread. */
_Noreturn void scheduler_idle(void *unused);

/* CPU time for which the thread has not been charged yet; 0 if it is not running. */
uint64_t scheduler_turn_ns(const struct thread *thread);
