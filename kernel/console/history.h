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

/* Adds a line, unless it is empty or repeats the last one. */
void history_keep(struct history *history, const char *text);

/* The line `back` lines before the current one, counted from 1; NULL if there is none. */
const char *history_line(const struct history *history, size_t back);

/* Searches from line `back` to older ones for a line that contains `part`. Its number, or 0. */
size_t history_find(const struct history *history, const char *part, size_t back);
