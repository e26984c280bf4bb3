/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syntax of a command line: arguments between blanks; '...' is literal; in "...", \ escapes "
 * and \; elsewhere \ escapes any character; `;` separates commands. Pure: any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define ARGUMENTS_MAX 32

struct arguments {
    int count;
    char *value[ARGUMENTS_MAX + 1]; /* NULL after the last */
};

/*
 * Splits one command in place. Returns 0; -EINVAL for an open quote or a trailing \; or -E2BIG for
 * more than ARGUMENTS_MAX arguments.
 */
int arguments_split(char *text, struct arguments *arguments, struct refusal *why);

/* True if the whole argument is a decimal number. */
bool arguments_number(const char *argument, uint32_t *number);

struct arguments_command {
    const char *text; /* not NUL-terminated; without leading and trailing blanks */
    size_t length;
};

/*
 * Finds the next non-empty command of a script and moves *script past it. Returns false at the end.
 * An open quote extends to the end of the script, and arguments_split refuses it.
 */
bool arguments_next_command(const char **script, struct arguments_command *command);
