/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of names: `*` stands for any characters, `?` for one, all else for itself. Pure; any
 * context, in time at most the product of both lengths.
 */
#pragma once

#include <stdbool.h>

bool glob_match(const char *pattern, const char *text);

/* True if it matches more than itself. */
bool glob_is_pattern(const char *pattern);
