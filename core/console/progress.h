/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's side of command_progress and command_interrupted (core/console/command.h): progress
 * display and interruption of a long-running command. Task context.
 */
#pragma once

/* Called when a command begins; its first second starts here. */
void progress_begin(void);

/* Called when the command has ended: ends a progress line that is still shown. */
void progress_end(void);
