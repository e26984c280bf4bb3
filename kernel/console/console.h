/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: runs typed lines and scripts as commands (core/console/command.h). Its output goes
 * through print(), its input comes from kernel/console/input.h. Task context, interrupts on.
 */
#pragma once

#define CONSOLE_PROMPT "pitot> "

/* Prompts for, reads and runs lines, for ever. Called by one task only. */
_Noreturn void console_run(void);

/*
 * Runs the commands of a line in order, even if one fails. Returns the status of the last command,
 * 0 if there is none; or -EINTR if ^C stopped a command and with it the rest of the line. Prints a
 * one-line error if the line cannot be parsed (quotes, length), or if another thread is running
 * commands (kernel/console/command_owner.h). May be called from a command.
 */
int console_execute(const char *line);

/*
 * The same, but shows each command after a prompt before running it, as if it had been typed: for
 * run= on the kernel's command line.
 */
int console_script(const char *text);
