/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TAB (core/pitot.h): what a command's `words` may say beside pitot_word. Task context, one caller
 * at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/pitot.h"

/*
 * The words that are reported next complete only `part`, the end of the last argument. `blank`:
 * another argument may follow.
 */
void complete_part(const char *part, bool blank);

/* Reports the words of a list that is sorted by strcmp. */
void complete_sorted(const char *(*at)(const void *of, size_t index), const void *of, size_t count);

/* Reports what the kernel gives, if it gives any. */
void complete_told(enum pitot_words which);

/* Reports what a command may have as its last argument; with one argument, the commands. */
void complete_command(int argc, char **argv);
