/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name patterns: `*` matches any characters, `?` matches one, every other character matches itself.
 * No side effects; any context; the time is at most proportional to the product of both lengths.
 */
#pragma once

#include <stdbool.h>

bool glob_match(const char *pattern, const char *text);

/* True if the string contains `*` or `?`. */
bool glob_is_pattern(const char *pattern);
