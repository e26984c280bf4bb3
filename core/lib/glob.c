/* SPDX-License-Identifier: BSD-2-Clause */
/* See glob.h. */
#include "core/lib/glob.h"

#include <stddef.h>

#include "core/lib/string.h"

/* Retries only the last star: a longer match of an earlier star cannot help the rest. */
bool glob_match(const char *pattern, const char *text)
{
    const char *star = NULL, *taken = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            taken = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool glob_is_pattern(const char *pattern)
{
    return strchr(pattern, '*') || strchr(pattern, '?');
}
