/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints of threads, for core/sched. Interrupts are off where the first two stand, and the
 * scheduler's lock is held: what records them takes none.
 */
#pragma once

#include "core/perf/tracepoint.h"

/* Linux' letters for the state of who leaves the CPU: R is runnable, S sleeps, X has ended. */
#define SCHED_SWITCH_FIELDS(FIELD, of)                                                             \
    FIELD(of, text, prev_comm, "prev_comm=%s")                                                     \
    FIELD(of, s32, prev_pid, " prev_pid=%d")                                                       \
    FIELD(of, text, prev_state, " prev_state=%s")                                                  \
    FIELD(of, text, next_comm, " ==> next_comm=%s")                                                \
    FIELD(of, s32, next_pid, " next_pid=%d")

#define SCHED_THREAD_FIELDS(FIELD, of)                                                             \
    FIELD(of, text, comm, "comm=%s")                                                               \
    FIELD(of, s32, pid, " pid=%d")

#define SCHED_FORK_FIELDS(FIELD, of)                                                               \
    FIELD(of, text, parent_comm, "comm=%s")                                                        \
    FIELD(of, s32, parent_pid, " pid=%d")                                                          \
    FIELD(of, text, child_comm, " child_comm=%s")                                                  \
    FIELD(of, s32, child_pid, " child_pid=%d")

TRACEPOINT_DECLARE(sched_switch, SCHED_SWITCH_FIELDS);
TRACEPOINT_DECLARE(sched_wakeup, SCHED_THREAD_FIELDS);
TRACEPOINT_DECLARE(sched_process_fork, SCHED_FORK_FIELDS);
TRACEPOINT_DECLARE(sched_process_exit, SCHED_THREAD_FIELDS);
