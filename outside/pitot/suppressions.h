/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports that are known and not to be told: the file of --suppress, of lines
 *
 *     GLOB [< GLOB]...      # comment
 *
 * which match a report whose innermost functions match: the one that accessed or that called the
 * allocator, its caller, and so on. Called by outside/pitot/heap.c and race.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"

int suppressions_read(const char *path, struct refusal *why);

/* True if a line matches. `ip`: the innermost place; 0: the innermost caller is. */
bool suppressions_match(uint64_t ip, uint32_t context);
