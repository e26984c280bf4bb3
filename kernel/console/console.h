/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: runs typed lines and scripts as commands. Prints with print(); its input comes from
 * kernel/console/input.h. Task context, interrupts on.
 */
#pragma once

#include <stdbool.h>

#define CONSOLE_PROMPT "pitot> "

/* Prompts for, reads and runs lines, for ever. Called by one task only. */
_Noreturn void console_run(void);

/*
 * Runs the commands of a line in order, even if one fails. Returns the status of the last; 0 if
 * there is none; -EINTR if ^C stopped a command and with it the rest. Prints an error if the line
 * cannot be parsed or another thread runs commands. A command may call it.
 */
int console_execute(const char *line);

/*
 * Does the same, but prints each command after a prompt, as if typed: for run= on the command line.
 */
int console_script(const char *text);
