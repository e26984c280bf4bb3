/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target of an event: the kernel, a program, or one thread. Called by core/perf/options.c; task
 * context.
 */
#pragma once

#include <stdbool.h>

#include "core/event/spec.h"

struct target_options {
    uint32_t pid;         /* of -p; 0: any */
    const char *workload; /* its first word; NULL: none */
    bool all_threads;     /* -a */
};

/*
 * A workload that begins with this word is a program: the console's part in it, to read its file
 * and to wait, is not the program's.
 */
bool target_is_program(const char *word);

/*
 * Notes the target in each event, and refuses what can never hit. 0, or a negative errno and the
 * reason.
 */
int targets_choose(struct event_spec *events, unsigned count, const struct target_options *options,
                   struct refusal *why);

/*
 * Refuses what cannot be recorded together with `branches`, after terms_apply, and notes in that
 * event how its window is opened. 0, or -EINVAL and the reason.
 */
int targets_check_branches(struct event_spec *events, unsigned count, struct refusal *why);
