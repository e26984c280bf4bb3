/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output files. A new file is PATH.part until it is worth more than an older one at PATH, which
 * stays if QEMU does not start or the disk is full. Called by outside/pitot/perf_file.c,
 * perf_program.c, blame_file.c and cover.c.
 */
#pragma once

#include <stdbool.h>

#include "core/abi/version.h"
#include "core/lib/refusal.h"

/*
 * Which pitot has written it. PITOT_COMMIT: that of the tree, from the Makefile; "" without git.
 */
#define VERSION_TEXT PITOT_VERSION PITOT_COMMIT

#define OUTPUT_PART ".part"

struct output {
    const char *path;
    char *part; /* where it is written; NULL: at `path`, and stays there */
};

/* False if what is written there is gone, as in /dev/null. */
bool output_keeps(const char *path);

/*
 * Creates PATH.part, or opens what cannot be replaced: a device, a pipe, a link. Returns a
 * descriptor that children do not inherit, or a negative errno and the reason. `path` is kept.
 */
int output_open(struct output *output, const char *path, struct refusal *why);

/*
 * Creates a file that no other had: `path` ends in XXXXXX and `suffix`, and gets the new name. Else
 * as output_open.
 */
int output_open_new(struct output *output, char *path, const char *suffix, struct refusal *why);

/* Gives the file its name. Later calls do nothing. */
int output_keep(struct output *output, struct refusal *why);

/* Removes the file unless it has its name. */
void output_drop(struct output *output);
