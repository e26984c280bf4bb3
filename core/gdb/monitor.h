/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb's `monitor`: runs a line of commands in a thread of its own, while the thread that gdb has
 * stopped waits (docs/gdb.md). core/embed/no_monitor.c replaces it in an object without commands.
 */
#pragma once

#include <stdbool.h>

struct sink;

/* Starts the thread, once, if the kernel gives what it needs. Task context. */
void gdb_monitor_start(void);

/*
 * In a stop: returns true if the line is one command that does not exist, after writing so. Then
 * the machine need not run.
 */
bool gdb_monitor_refuses(const char *line, struct sink *to);

/*
 * In a stop of that CPU: prepares the line, shorter than PITOT_MONITOR_SIZE, which runs once all
 * CPUs have resumed. Returns NULL, or why it cannot run.
 */
const char *gdb_monitor_begin(unsigned cpu, const char *line);

/* True if a command runs, or its end has not been reported to gdb. Any context. */
bool gdb_monitor_runs(void);

/*
 * In a stop of that CPU: returns true if it is the one after the command, once the CPU has its own
 * registers again.
 */
bool gdb_monitor_ends(unsigned cpu);

/* Lets gdb hear from a command that takes long. After an interrupt. */
void gdb_monitor_tick(void);
