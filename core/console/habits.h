/* SPDX-License-Identifier: BSD-2-Clause */
/* What users of perf, gdb, ftrace and shells type, and what to type here instead. Task context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define HABIT_ANSWER 320 /* bytes of the longest answer */

/*
 * Writes what to type instead of the words at `typed`, of which there are `count`. Returns how many
 * of them the answer is about; 0 if it is about none. `has`: whether there is a command of that
 * name, so that no answer is about one that there is not; NULL: there is none but perf and help.
 */
size_t habit_answer(const char *const *typed, size_t count, bool (*has)(const char *command),
                    char *text, size_t size);

/* Does the same for an option of `perf PART`; the answer for the host ends in the option. */
size_t habit_answer_option(const char *part, const char *option, char *text, size_t size);

/* Writes how to have the real perf do `perf PART OPTION` on the host. */
void habit_answer_host(const char *part, const char *option, char *text, size_t size);

/* Returns the index-th of perf's subcommands that are not here; NULL past the end. */
const char *habit_perf_part(size_t index);
