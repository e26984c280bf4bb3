/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name patterns: `*` matches any number of characters, `?` exactly one. Matching takes at most a
 * time proportional to the product of the lengths. Any context.
 */
#pragma once

#include <stdbool.h>

bool glob_match(const char *pattern, const char *text);

/* True if the string contains `*` or `?`. */
bool glob_is_pattern(const char *pattern);
