/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that pitot writes, and those that it reads. */
#pragma once

#include <stdbool.h>

#include "core/abi/version.h"
#include "core/lib/refusal.h"

/* --- Output --- */

/*
 * A new file is PATH.part until it is worth more than an older one at PATH, which stays if QEMU
 * does not start or the disk is full.
 */
#define OUTPUT_PART ".part"

/*
 * Which pitot has written it. PITOT_COMMIT: that of the tree, from the Makefile; "" without git.
 */
#define VERSION_TEXT PITOT_VERSION PITOT_COMMIT

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

/* --- Input --- */

/*
 * A file's source is not known: what has no end, or never answers, is refused. Each returns a
 * descriptor that children do not inherit, or a negative errno and the reason.
 */

/* Opens a regular file; `instead`: what to type if it is something else. */
int input_open_file(const char *path, const char *instead, struct refusal *why);

/* The same with a pipe, if bytes come within ten seconds. */
int input_open_text(const char *path, const char *instead, struct refusal *why);
