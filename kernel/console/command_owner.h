/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread runs commands: the console's, or that of gdb's `monitor`. A command keeps its
 * options and data in static memory, recordings share one set of rings and ^C one flag; therefore
 * only one thread runs commands at a time, and another thread is refused before its command starts.
 */
#pragma once

#include <stdbool.h>

struct thread;

/*
 * Gives `thread` the exclusive right to run commands, until it has released as often as it has
 * claimed. `who` names the owner to threads that are refused: "the console". False: another thread
 * is the owner. Any context.
 */
bool command_owner_claim(const struct thread *thread, const char *who);
void command_owner_release(void);

/* The owner's name, or `nobody`. Any context. */
const char *command_owner_name(void);
