/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's side of command_progress and command_interrupted (core/console/command.h): how a
 * long command shows its progress, and learns that it has to stop. Task context.
 */
#pragma once

/* A command begins, and with it its first second. */
void progress_begin(void);

/* The command has ended: ends a progress line that is still shown. */
void progress_end(void);
