/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name patterns: `*` matches any characters, `?` matches one, every other character itself. Pure;
 * any context; takes time up to the product of both lengths.
 */
#pragma once

#include <stdbool.h>

bool glob_match(const char *pattern, const char *text);

/* True if the string contains `*` or `?`. */
bool glob_is_pattern(const char *pattern);
