/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target of an event: the kernel, a program, or one thread. Called by core/perf/options.c; task
 * context.
 */
#pragma once

#include <stdbool.h>

#include "core/event/spec.h"

struct target_options {
    uint32_t pid;         /* from -p; 0: any */
    const char *workload; /* first word of the workload; NULL: none */
    bool all_threads;     /* from -a */
};

/*
 * True if a workload that begins with this word is a program. Work that the console does for it,
 * such as reading its file and waiting, is not the program's.
 */
bool target_is_program(const char *word);

/*
 * Stores the target in each event, and rejects events that can never hit. Returns 0, or a negative
 * errno and the reason.
 */
int targets_choose(struct event_spec *events, unsigned count, const struct target_options *options,
                   struct refusal *why);

/*
 * Rejects events that cannot be recorded together with `branches`, and stores in that event how its
 * window opens. Called after terms_apply. Returns 0, or -EINVAL and the reason.
 */
int targets_check_branches(struct event_spec *events, unsigned count, struct refusal *why);
