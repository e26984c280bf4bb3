/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of a command line: words between blanks; '...' is literal; in "...", \ escapes " and
 * \; elsewhere \ escapes any character; `;` separates commands. Pure: any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define WORDS_MAX 32

struct words {
    int count;
    char *word[WORDS_MAX + 1]; /* NULL after the last */
};

/*
 * Splits one command in place; the words point into `text`. Returns 0, -EINVAL (an open quote, or a
 * backslash at the end) or -E2BIG (more than WORDS_MAX words), with the reason.
 */
int words_split(char *text, struct words *words, struct refusal *why);

/* True if the whole word is a decimal number. */
bool words_number(const char *word, uint32_t *number);

struct words_command {
    const char *text; /* not NUL-terminated; without leading and trailing blanks */
    size_t length;
};

/*
 * Finds the next non-empty command of a script and moves *script past it; false at the end. An open
 * quote extends to the end of the script; words_split then refuses it.
 */
bool words_next_command(const char **script, struct words_command *command);
