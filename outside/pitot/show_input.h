/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a file is a whole recording of perf. perf reports a truncated one in its own words, or
 * reads a part of it, so it is checked first. Called by outside/pitot/show.c.
 *
 * Source: the perf tool's documentation, perf.data-file-format.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"

/* Leaves in *streams whether the file is a stream, as from `perf record -o -`. */
int show_input_check(const char *path, bool *streams, struct refusal *why);
