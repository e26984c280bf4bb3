/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of a command line: words between blanks; '...' taken literally; "..." in which \
 * hides " and \; elsewhere \ hides any character; `;` between commands. Pure: any context.
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
 * Splits one command in place; the words point into `text`. Returns 0; -EINVAL (an open quote, or a
 * backslash at the end) or -E2BIG (more than WORDS_MAX words), with the reason.
 */
int words_split(char *text, struct words *words, struct refusal *why);

/* A decimal number and nothing else; false for any other word. */
bool words_number(const char *word, uint32_t *number);

struct words_command {
    const char *text; /* not terminated, blanks at both ends cut off */
    size_t length;
};

/*
 * Takes the next non-empty command from a script and moves *script past it; false at the end. An
 * open quote reaches to the end of the script, and words_split then refuses it.
 */
bool words_next_command(const char **script, struct words_command *command);
