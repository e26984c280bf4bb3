/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calling contexts received from the plugin. Each names its outer context, so chains are
 * followed outwards. Called by outside/pitot/watch.c, recording.c and call_tree.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

int contexts_add(const struct wire_context *context, struct refusal *why);

/*
 * These take a context that was added. They return its caller (in a path of functions, its
 * function), its outer context, and true if an interrupt began it.
 */
uint64_t contexts_caller(uint32_t context);
uint32_t contexts_outer(uint32_t context);
bool contexts_by_interrupt(uint32_t context);

/* An address in the instruction that called, of which contexts_caller may be the next. */
uint64_t contexts_code(uint32_t context);

/* Returns the number of callers, or -1 if there is no such context. */
long contexts_depth(uint32_t context);
