/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's command line, as passed by the boot loader: arguments separated by blanks, each
 * `key=value`, or a bare word, which no code asks for. Quotes ("..." and '...') may appear anywhere
 * in an argument, and \ escapes \ ' " and blanks: both run="a; b", as a person writes it, and
 * "run=a; b", as GRUB passes it on, are the argument run=a; b. If a key is given twice, the last
 * value counts.
 *
 * cmdline_init is called once, early at boot; the other functions in task context after it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define CMDLINE_SIZE 4096 /* bytes, including the NUL */

/*
 * Parses and copies `line`. Accepts only whole arguments within CMDLINE_SIZE; cmdline_complaint
 * reports what is wrong with the rest.
 */
void cmdline_init(const char *line);

/* NULL, or a phrase that states which part of the command line was ignored, and why. */
const char *cmdline_complaint(void);

/*
 * Copies the value of `key`. Returns false, with "" in `value`, if the key is missing or the value
 * does not fit; CMDLINE_SIZE bytes are always enough.
 */
bool cmdline_value(const char *key, char *value, size_t size);

/*
 * Reads the value of `key` as a number: decimal or 0x..., optionally followed by k, m or g (powers
 * of 1024). Returns 0; -ENOENT if the key is missing; -EINVAL or -ERANGE with the reason.
 */
int cmdline_number(const char *key, uint64_t *number, struct refusal *why);

/*
 * Iterates over the arguments that no code has asked for, mostly misspelt ones: returns the first
 * after `previous` (NULL: from the beginning), NULL at the end. For a warning, after all code has
 * asked.
 */
const char *cmdline_next_unasked(const char *previous);
