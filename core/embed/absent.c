/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs for what console commands use only in Pitot's own kernel: system calls and branches. Called
 * by core/perf. Task context.
 */
#include <linux/errno.h>

#include "core/event/source_branches.h"
#include "core/lib/print.h"
#include "core/perf/commands.h"

int perf_trace(int argc, char **argv)
{
    (void)argc, (void)argv;
    print("perf trace: what a system call is in this kernel is not known\n");
    return -ENOSYS;
}

void branches_workload_begin(void)
{
}

void branches_workload_end(void)
{
}

struct branches_counts branches_counts(void)
{
    return (struct branches_counts){.steps = 0};
}
