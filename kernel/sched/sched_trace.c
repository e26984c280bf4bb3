/* SPDX-License-Identifier: BSD-2-Clause */
/* See sched_trace.h. */
#include "kernel/sched/sched_trace.h"

TRACEPOINT_DEFINE(sched, sched_switch, SCHED_SWITCH_FIELDS);
TRACEPOINT_DEFINE(sched, sched_wakeup, SCHED_WAKEUP_FIELDS);
TRACEPOINT_DEFINE(sched, sched_stat_runtime, SCHED_RUNTIME_FIELDS, .weighted = true,
                  .weight = TRACEPOINT_FIELD(sched_stat_runtime, runtime));
TRACEPOINT_DEFINE(sched, sched_process_fork, SCHED_FORK_FIELDS);
TRACEPOINT_DEFINE(sched, sched_process_exit, SCHED_THREAD_FIELDS);
