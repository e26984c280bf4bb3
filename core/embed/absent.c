/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of core/perf/parts_own.c, and stubs for what core/perf uses only in Pitot's own kernel.
 * Task context.
 */
#include <linux/errno.h>

#include "core/event/source_branches.h"
#include "core/lib/print.h"
#include "core/perf/commands.h"
#include "core/perf/option_table.h"

const struct options *const perf_parts[] = {&list_options,   &record_options, &report_options,
                                            &script_options, &stat_options,   NULL};
const char perf_usage[] = "list | record | report | script | stat";
const char perf_summary[] = "record and read hits of breakpoints, tracepoints, the clock";

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
