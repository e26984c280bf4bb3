/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the next thread and switches to it: for kernel/sched and the tick (docs/kernel.md). */
#pragma once

#include "core/tracepoint/define.h"
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
 * interrupts off, so recording them must not take a lock. Fields are Linux's (docs/tracepoints.md).
 */
#define SCHED_SWITCH_FIELDS(FIELD, of)                                                             \
    FIELD(of, text, prev_comm, "prev_comm=%s")                                                     \
    FIELD(of, s32, prev_pid, " prev_pid=%d")                                                       \
    FIELD(of, state, prev_state, " prev_state=%s")                                                 \
    FIELD(of, text, next_comm, " ==> next_comm=%s")                                                \
    FIELD(of, s32, next_pid, " next_pid=%d")

#define SCHED_THREAD_FIELDS(FIELD, of)                                                             \
    FIELD(of, text, comm, "comm=%s")                                                               \
    FIELD(of, s32, pid, " pid=%d")

/* `target_cpu`: the CPU on which the thread will run. */
#define SCHED_WAKEUP_FIELDS(FIELD, of)                                                             \
    SCHED_THREAD_FIELDS(FIELD, of)                                                                 \
    FIELD(of, s32, target_cpu, " target_cpu=%d")

/* `runtime`: CPU time in nanoseconds since the thread was last charged. */
#define SCHED_RUNTIME_FIELDS(FIELD, of)                                                            \
    SCHED_THREAD_FIELDS(FIELD, of)                                                                 \
    FIELD(of, u64, runtime, " runtime=%lu")

#define SCHED_FORK_FIELDS(FIELD, of)                                                               \
    FIELD(of, text, parent_comm, "comm=%s")                                                        \
    FIELD(of, s32, parent_pid, " pid=%d")                                                          \
    FIELD(of, text, child_comm, " child_comm=%s")                                                  \
    FIELD(of, s32, child_pid, " child_pid=%d")

/* For event_set_state. */
bool sched_switch_tell_state(struct trace_hit *hit, bool begins);

TRACEPOINT_DECLARE(sched_switch, SCHED_SWITCH_FIELDS);
TRACEPOINT_DECLARE(sched_wakeup, SCHED_WAKEUP_FIELDS);
TRACEPOINT_DECLARE(sched_stat_runtime, SCHED_RUNTIME_FIELDS);
TRACEPOINT_DECLARE(sched_process_fork, SCHED_FORK_FIELDS);
TRACEPOINT_DECLARE(sched_process_exit, SCHED_THREAD_FIELDS);
