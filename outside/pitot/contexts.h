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
 * Of an added context: its caller, or its function in a path of functions; its outer context; and
 * true if an interrupt began it.
 */
uint64_t contexts_caller(uint32_t context);
uint32_t contexts_outer(uint32_t context);
bool contexts_by_interrupt(uint32_t context);

/* The number of callers; -1: no such context. */
long contexts_depth(uint32_t context);

/* The innermost `most` callers. */
void contexts_chain(uint32_t context, uint64_t *callers, size_t most);
