/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's command line, as the boot loader hands it over: arguments between blanks, each
 * `key=value`, or a bare word, which no code asks for. Quotes may stand anywhere in an argument
 * ("..." and '...'), and \ hides \ ' " and blanks: both run="a; b", as a person writes it, and
 * "run=a; b", as GRUB passes it on, are the argument run=a; b. If a key is given twice, the last
 * counts.
 *
 * cmdline_init is called once, early at boot; the others in task context after it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define CMDLINE_SIZE 4096 /* of the text, the end included */

/*
 * Copies what it needs of `text`. Takes whole arguments only, and none that goes beyond
 * CMDLINE_SIZE: what is wrong with the rest is cmdline_complaint's.
 */
void cmdline_init(const char *line);

/* NULL, or one phrase about what of the command line was left out and why. */
const char *cmdline_complaint(void);

/*
 * The value of `key`; false, and "" in `value`, if it is not there or does not fit. With
 * CMDLINE_SIZE bytes it always fits.
 */
bool cmdline_value(const char *key, char *value, size_t size);

/*
 * The value of `key` as a number: decimal or 0x..., with k, m or g (times 1024 each) after it. 0;
 * -ENOENT if the key is not there; -EINVAL or -ERANGE with the reason.
 */
int cmdline_number(const char *key, uint64_t *number, struct refusal *why);

/*
 * Walks the arguments that no code has asked for, misspelt ones for the most part: the first after
 * `previous` (NULL: from the beginning), NULL at the end. For a warning, after all code has asked.
 */
const char *cmdline_next_unasked(const char *previous);
