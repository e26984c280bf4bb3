/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of threads. sched_switch and sched_wakeup are hit with the scheduler's lock held and
 * interrupts off, so recording them must not take a lock. Fields are Linux's (docs/tracepoints.md).
 */
#pragma once

#include "core/tracepoint/define.h"

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

/* For event_set_state. Defined in scheduler.c. */
bool sched_switch_tell_state(struct trace_hit *hit, bool begins);

TRACEPOINT_DECLARE(sched_switch, SCHED_SWITCH_FIELDS);
TRACEPOINT_DECLARE(sched_wakeup, SCHED_WAKEUP_FIELDS);
TRACEPOINT_DECLARE(sched_stat_runtime, SCHED_RUNTIME_FIELDS);
TRACEPOINT_DECLARE(sched_process_fork, SCHED_FORK_FIELDS);
TRACEPOINT_DECLARE(sched_process_exit, SCHED_THREAD_FIELDS);
