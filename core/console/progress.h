/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a command that takes its time shows, and how it learns that it shall stop:
 * command_progress and command_interrupted of core/console/command.h. Here is the console's side
 * of them. Task context.
 */
#pragma once

/* A command begins: its first second starts now. */
void progress_begin(void);

/* It has ended: a progress line that still stands is closed. */
void progress_end(void);
