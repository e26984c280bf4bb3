/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of `pitot show`: a profile in the forms that viewers read, and what perf is given. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/lib/refusal.h"
#include "outside/pitot/profile.h"

/* --- Forms: the caller checks the stream for errors --- */

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

/* --- Input: show_input.c --- */

/*
 * A whole recording, and symbols. perf reports a truncated recording in its own words, or reads a
 * part of it, so it is checked first.
 *
 * Source: the perf tool's documentation, perf.data-file-format.
 */
struct show_input {
    bool streams; /* a stream, as from `perf record -o -` */
    bool guest;   /* of `perf kvm` on the host: it names the kernel of a guest */
};

int show_input_check(const char *path, struct show_input *input, struct refusal *why);

/* Whether the path is the recording, which what is drawn must not replace. */
bool show_input_is(const char *recording, const char *path);

/*
 * Copies symbols, which perf reads twice and so not from a pipe, as in --symbols <(nm KERNEL).
 * Leaves in *copy, to be freed, a path for this program's children.
 */
int show_input_copy(const char *path, char **copy, struct refusal *why);
