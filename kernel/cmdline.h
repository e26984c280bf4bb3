/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's command line: arguments separated by blanks, each `key=value`, or a bare word, which
 * no code asks for. Quotes may appear anywhere in an argument, and \ escapes \ ' " and blanks:
 * run="a; b" (as typed) and "run=a; b" (as GRUB passes it) both mean the argument run=a; b. The
 * last value of a key counts. cmdline_init is called once, early at boot; the other functions after
 * it, in task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define CMDLINE_SIZE 4096 /* bytes, including the NUL */

/*
 * Parses and copies the arguments that lie within CMDLINE_SIZE; cmdline_complaint reports the rest.
 */
void cmdline_init(const char *line);

/* Returns which part of the command line was ignored, and why; NULL if none was. */
const char *cmdline_complaint(void);

/*
 * Copies the value of `key`. Returns false, and "" in `value`, if the key is missing or its value
 * does not fit.
 */
bool cmdline_value(const char *key, char *value, size_t size);

/*
 * Reads the value of `key` as a number, decimal or 0x..., with an optional suffix k, m or g (powers
 * of 1024). Returns 0, or the reason and -ENOENT (no such key), -EINVAL or -ERANGE.
 */
int cmdline_number(const char *key, uint64_t *number, struct refusal *why);

/*
 * Iterates over the arguments that no code has asked for, to warn of them. `previous` is NULL at
 * first; returns NULL at the end.
 */
const char *cmdline_next_unasked(const char *previous);
