/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a recording by `perf script`. The file's own forms, compressed or from another machine,
 * maps, build ids, /proc/kallsyms, modules and programs are perf's work, which Pitot's recordings
 * are made for. Rejected: a reader of our own, which would know the names of Pitot's recordings
 * alone. Called by outside/pitot/show.c and trace_perf.c.
 *
 * All versions of perf write the text of perf script. Fields that a recording may lack (time, CPU,
 * address) are not asked for, as perf refuses those.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"
#include "outside/pitot/profile.h"
#include "outside/pitot/show.h"

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
