/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that runs commands: the console's or that of gdb's `monitor`, one at a time, because
 * commands keep their data in static memory and share one set of rings and one ^C.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Gives the thread with these ids (core/task.h) the right to run commands, until the right has been
 * released as often as it was claimed. `who`, for example "the console", names the owner to other
 * threads. Returns false if another thread has the right. Any context.
 */
bool command_owner_claim(uint64_t ids, const char *who);
void command_owner_release(void);
