/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for what core/perf uses only in Pitot's own kernel. Task context. */
#include "core/event/source_branches.h"

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
