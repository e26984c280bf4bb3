/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that the plugin has told of, and their names. Called by outside/pitot/recording.c,
 * blame.c and last.c.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

#define KERNEL_TID 1 /* thread 0's, code whose stack is not known; the others' follow */

/* 0, or a negative errno and the reason. */
int threads_add(const struct wire_thread *thread, struct refusal *why);

/* Its outermost function's name; an address if that has none, "?" if there is no such thread. */
const char *threads_name(uint32_t thread);
