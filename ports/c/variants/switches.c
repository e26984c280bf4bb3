/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel with Linux' tracepoints of thread switches, so that `perf sched` can be asked. Linked
 * with --wrap=pitot_thread_runs; one CPU. The clock is the CPU's cycles.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

static int tell_switch(unsigned cpu, int begins, unsigned long *argument);

PITOT_TRACEPOINT_WITH(sched, sched_switch, (0, 0, 0, 0, tell_switch), 5,
                      PITOT_FIELD(text, prev_comm, "prev_comm=%s"),
                      PITOT_FIELD(s32, prev_pid, " prev_pid=%d"),
                      PITOT_FIELD(state, prev_state, " prev_state=%s"),
                      PITOT_FIELD(text, next_comm, " ==> next_comm=%s"),
                      PITOT_FIELD(s32, next_pid, " next_pid=%d"));
PITOT_TRACEPOINT_WITH(sched, sched_stat_runtime,
                      (1, PITOT_INDEX(sched_stat_runtime, runtime), 0, 0, 0), 3,
                      PITOT_FIELD(text, comm, "comm=%s"), PITOT_FIELD(s32, pid, " pid=%d"),
                      PITOT_FIELD(u64, runtime, " runtime=%lu"));

/* Six fields, which are passed in memory. */
PITOT_TRACEPOINT(shop, turn, 6, PITOT_FIELD(u32, from, "%u"), PITOT_FIELD(u32, to, " to %u"),
                 PITOT_FIELD(function, yield, " in %ps"), PITOT_FIELD(gfp, none, " %s"),
                 PITOT_FIELD(s64, less, " %ld"), PITOT_FIELD(text, name, " %s"));

static uint32_t current;
static uint64_t since;

/* The idle thread, which this kernel lacks, runs before a recording and after it. */
static int tell_switch(unsigned cpu, int begins, unsigned long *argument)
{
    (void)cpu;
    argument[0] = (unsigned long)(begins ? "swapper" : threads[current].name);
    argument[1] = begins ? 0 : current;
    argument[2] = PITOT_STATE_RUNNABLE;
    argument[3] = (unsigned long)(begins ? threads[current].name : "swapper");
    argument[4] = begins ? current : 0;
    return 1;
}

void __real_pitot_thread_runs(uint32_t pid);
void __wrap_pitot_thread_runs(uint32_t pid);

void __wrap_pitot_thread_runs(uint32_t pid)
{
    uint64_t now = cpu_cycles();

    PITOT_TRACE(sched_stat_runtime, threads[current].name, current, now - since);
    PITOT_TRACE(sched_switch, threads[current].name, current,
                threads[current].runs ? PITOT_STATE_RUNNABLE : PITOT_STATE_ENDED, threads[pid].name,
                pid);
    PITOT_TRACE(turn, current, pid, thread_yield, 0, -1, threads[pid].name);
    current = pid;
    since = now;
    __real_pitot_thread_runs(pid);
}
