/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens files whose source is not known: what has no end, or never answers, is refused.
 * Called by outside/pitot/kernel.c, symbol_list.c, blame_file.c and source_lines.c.
 *
 * Each returns a descriptor that children do not inherit, or a negative errno and the reason.
 */
#pragma once

#include "core/lib/refusal.h"

/* Opens a regular file; `instead`: what to type if it is something else. */
int input_open_file(const char *path, const char *instead, struct refusal *why);

/* The same with a pipe, if bytes come within ten seconds. */
int input_open_text(const char *path, const char *instead, struct refusal *why);
