/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: where typed lines and scripts become commands (core/console/command.h). Its
 * output is print()'s, its input kernel/console/input.h's. Task context, interrupts on.
 */
#pragma once

#define CONSOLE_PROMPT "pitot> "

/* Prompts, reads and runs, for ever. One task alone. */
_Noreturn void console_run(void);

/*
 * Runs the commands of one line, one after the other whatever became of those before. What the
 * last of them returned, 0 if there is none; or -EINTR if ^C stopped one, and the rest of the
 * line with it. A line that cannot be read (quotes, length) is answered with one line of error, and
 * so is any line while another thread runs commands (kernel/console/command_owner.h).
 * May be called from a command.
 */
int console_execute(const char *line);

/*
 * The same, showing each command after a prompt before it runs, as if it had been typed: run= of
 * the kernel's command line.
 */
int console_script(const char *text);
