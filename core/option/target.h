/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which events are meant: the kernel's, a program's, one thread's. Called by core/option/record.c;
 * task context.
 */
#pragma once

#include "core/event/spec.h"

/* What the options say of it. */
struct target_options {
    uint32_t pid;         /* of -p; 0: not said */
    const char *workload; /* its first word; NULL: none */
    bool all_threads;     /* -a */
};

/*
 * A workload that begins with this word is a program: the console's part in it, to read its file
 * and to wait, is not the program's.
 */
bool target_is_program(const char *word);

/*
 * Notes it in these events, and refuses what can have no hits. 0, or a negative errno and the
 * reason.
 */
int targets_choose(struct event_spec *events, unsigned count, const struct target_options *options,
                   struct refusal *why);
