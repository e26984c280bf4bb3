/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calling contexts that the plugin has named so far: each leads to its caller's, so a chain is
 * followed from the innermost outwards. Called by outside/pitot/watch.c and recording.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

/* 0, or a negative errno and the reason. */
int contexts_add(const struct wire_context *context, struct refusal *why);

/* How many callers; -1: there is no such context. */
long contexts_depth(uint32_t context);

/* The innermost `most` of them. */
void contexts_chain(uint32_t context, uint64_t *callers, size_t most);
