/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's command line: arguments separated by blanks, each `key=value`, or a bare word, which
 * no code asks for. Quotes may appear anywhere in an argument, and \ escapes \ ' " and blanks:
 * run="a; b", as typed, and "run=a; b", as GRUB passes it, are the argument run=a; b. The last
 * value of a key counts. cmdline_init: once, early at boot. The rest: task context, after it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define CMDLINE_SIZE 4096 /* bytes, including the NUL */

/* Parses and copies the whole arguments within CMDLINE_SIZE; cmdline_complaint reports the rest. */
void cmdline_init(const char *line);

/* What part of the command line was ignored, and why; NULL: none. */
const char *cmdline_complaint(void);

/* Copies the value of `key`. False, with "" in `value`: there is no key, or no room. */
bool cmdline_value(const char *key, char *value, size_t size);

/*
 * Reads the value of `key` as a number, decimal or 0x..., with an optional suffix k, m or g (powers
 * of 1024). Returns 0, or -ENOENT (no such key), -EINVAL or -ERANGE and the reason.
 */
int cmdline_number(const char *key, uint64_t *number, struct refusal *why);

/* Iterates over the arguments that no code has asked for, to warn of them. NULL: begins, ends. */
const char *cmdline_next_unasked(const char *previous);
