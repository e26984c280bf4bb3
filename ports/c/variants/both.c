/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pitot_start as commands of the sample kernel: it streams beside `perf record`. Linked at level 4
 * (port.mk) for tests/boot/ports_console.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

static int begin_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    record_begin("-e shop:job_done");
    return 0;
}

static int end_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    record_end();
    return 0;
}

PITOT_COMMAND(begin, "", "begins a recording of jobs", begin_run);
PITOT_COMMAND(end, "", "ends it, and streams it", end_run);
