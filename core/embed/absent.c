/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for what core/perf uses only in Pitot's own kernel. Task context. */
#include <linux/errno.h>

#include "core/event/source_branches.h"
#include "core/lib/print.h"
#include "core/perf/commands.h"

int perf_trace(int argc, char **argv)
{
    (void)argc, (void)argv;
    print("perf trace: the system calls of this kernel are unknown\n");
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
