/* SPDX-License-Identifier: BSD-2-Clause */
/* History of typed lines, for the line editor. The state belongs to one caller; any context. */
#pragma once

#include <stddef.h>

#define LINE_LENGTH_MAX 1024
#define HISTORY_LINES   32 /* the newest are kept */

struct history {
    char line[HISTORY_LINES][LINE_LENGTH_MAX + 1];
    size_t count; /* number of lines ever added */
};

/* Adds a line, unless it is empty or equals the newest line. */
void history_keep(struct history *history, const char *text);

/* Returns the line `back` lines before the current one, 1 for the newest; NULL if there is none. */
const char *history_line(const struct history *history, size_t back);

/*
 * Searches for a line that contains `part`, from line `back` to older ones. Returns its number as
 * in history_line, or 0.
 */
size_t history_find(const struct history *history, const char *part, size_t back);
