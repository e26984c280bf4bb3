/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads reported by the plugin, and their names. Called by outside/pitot/recording.c, blame.c and
 * last.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

#define KERNEL_TID 1 /* tid of thread 0: code whose stack is not known; other threads follow */

int threads_add(const struct wire_thread *thread, struct refusal *why);

/* True after threads_add. */
bool threads_known(uint32_t thread);

/* Returns the name or address of the thread's outermost function; "?": no such thread. */
const char *threads_name(uint32_t thread);

/* Returns the number of its program's address space; 0: the kernel's, or no such thread. */
uint32_t threads_space(uint32_t thread);
