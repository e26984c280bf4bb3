/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf is given: a whole recording, and symbols. perf reports a truncated recording in its own
 * words, or reads a part of it, so it is checked first. Called by outside/pitot/show.c.
 *
 * Source: the perf tool's documentation, perf.data-file-format.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"

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
