/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of `pitot show`: a profile in the forms that viewers read, what perf is given, and what
 * it says.
 */
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

/* --- A recording, by `perf script`: perf_script.c --- */

/*
 * The file's own forms, compressed or from another machine, maps, build ids, /proc/kallsyms,
 * modules and programs are perf's work, which Pitot's recordings are made for. Rejected: a reader
 * of our own, which would know the names of Pitot's recordings alone.
 *
 * All versions of perf write the text of perf script. Fields that a recording may lack (time, CPU,
 * address) are not asked for, as perf refuses those.
 */

/*
 * What is asked of perf: a file, or a stream in a file; `quiet`: of its complaints only that the
 * stream's end is missing is told.
 */
struct perf_script {
    const char *file;
    bool streams, quiet;
    bool lost;        /* its lines say how many samples were lost, too */
    bool head;        /* lines that begin with # come first: what the recording says of itself */
    bool guest;       /* the symbols are a guest's (struct show_input) */
    const char *list; /* the kernel's symbols as nm prints them; NULL: perf finds them */
    const char *fields;
};

/* Gives each line to `line`, which may change it, with `to`. */
int perf_script_lines(const struct perf_script *script,
                      int (*line)(char *text, void *to, struct refusal *why), void *to,
                      struct refusal *why);

/*
 * Adds all samples of the file, or of a stream in a file. `list`: the kernel's symbols as nm prints
 * them, or the guest's in a file that names one; NULL: perf finds them. Places are those of samples
 * of `mem:` events.
 */
int perf_script_read(const char *file, const struct show_input *input, const char *list,
                     struct profile *profile, struct refusal *why);
