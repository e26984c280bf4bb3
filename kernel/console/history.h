/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines that were typed before, for the line editor (kernel/console/line.h). The state belongs
 * to one caller; any context.
 */
#pragma once

#include <stddef.h>

#define LINE_LENGTH_MAX 1024
#define HISTORY_LINES   32 /* the newest ones */

struct history {
    char line[HISTORY_LINES][LINE_LENGTH_MAX + 1];
    size_t count; /* lines ever kept */
};

/* Keeps a line, unless it is empty or the last one over again. */
void history_keep(struct history *history, const char *text);

/* The line `back` lines before the one being typed, from 1 on; NULL: there is none. */
const char *history_line(const struct history *history, size_t back);

/* The first line, from `back` on, that has `part` in it, as such a number; 0: none has. */
size_t history_find(const struct history *history, const char *part, size_t back);
