/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `monitor`: a command of the console's, run by a thread of its own while the stopped one is held
 * (docs/gdb-stub.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes the thread, once. Task context. */
void gdb_command_init(void);

/*
 * Has it run when all CPUs go on, in place of what that one, which has stopped, was about to do.
 * NULL; or why not. In a stop.
 */
const char *gdb_command_begin(unsigned cpu, const char *line);

/* It is running, or has ended and not been told of. Any context. */
bool gdb_command_is_under_way(void);

/*
 * In the stop of that CPU, if it is the command's end: true, and what the CPU was about to do is
 * again.
 */
bool gdb_command_end(unsigned cpu, int *status);

/*
 * What it prints goes to the one instead of to the console; the other is called once a second. Task
 * context, both. Boot.
 */
void gdb_command_set_print(size_t (*text_to)(const char *text, size_t length), void (*alive)(void));
