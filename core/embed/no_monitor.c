/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for core/gdb/monitor.c in an object without commands. Any context. */
#include "core/gdb/monitor.h"

void gdb_monitor_start(void)
{
}

bool gdb_monitor_refuses(const char *line, struct sink *to)
{
    (void)line, (void)to;
    return false;
}

const char *gdb_monitor_begin(unsigned cpu, const char *line)
{
    (void)cpu, (void)line;
    return "this kernel runs no commands for gdb: the object is made without them: LEVEL=4 of "
           "make lib";
}

bool gdb_monitor_runs(void)
{
    return false;
}

bool gdb_monitor_ends(unsigned cpu)
{
    (void)cpu;
    return false;
}

void gdb_monitor_tick(void)
{
}
