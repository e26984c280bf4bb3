/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread runs commands: the console's, or the one of gdb's `monitor`. A command keeps its
 * options and what it works on in memory of its own, a recording its rings, ^C its flag, each once:
 * so one thread runs commands at a time, and another one is refused before anything has begun.
 */
#pragma once

#include <stdbool.h>

struct thread;

/*
 * From now on that thread may run commands, alone, until it has released them as often as it has
 * claimed them. `who` is for those that are refused: "the console". False: another thread has
 * them. Any context.
 */
bool command_owner_claim(const struct thread *thread, const char *who);
void command_owner_release(void);

/* The name of the thread that has claimed them, or `nobody`. Any context. */
const char *command_owner_name(void);
