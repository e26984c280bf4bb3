/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile in the forms that viewers read. Called by outside/pitot/show.c, which checks the stream
 * for errors.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "outside/pitot/profile.h"

/* One HTML file of all events, which needs nothing else; `title` names the recording. */
void show_page(FILE *out, const struct profile *profile, const char *title);

/* Its parts, between which outside/pitot/question.c writes what else a page has. */
void show_page_begin(FILE *out);
void show_page_profile(FILE *out, const struct profile *profile, const char *title,
                       const char *counted);
void show_page_end(FILE *out);

/* A flame graph of one event, for pages and papers. */
void show_svg(FILE *out, const struct profile *profile, uint32_t event, const char *title);

/* A line per call chain of one event: thread;outermost;...;innermost WEIGHT. */
void show_folded(FILE *out, const struct profile *profile, uint32_t event);

/* All events, a profile or thread for each event and thread. */
void show_speedscope(FILE *out, const struct profile *profile, const char *title);
void show_firefox(FILE *out, const struct profile *profile, const char *title);

/* Writes a string of JSON, which may stand in HTML; what is not UTF-8 as plain_text has it. */
void show_json_string(FILE *out, const char *text);

/* The same with blanks for tabs. */
void show_json_wide(FILE *out, const char *text);

/* Writes all strings as JSON, each between two texts, with commas. */
void show_json_strings(FILE *out, const struct interned *strings, const char *before,
                       const char *after);
