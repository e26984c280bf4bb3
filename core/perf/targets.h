/* SPDX-License-Identifier: BSD-2-Clause */
/* The target of an event: the kernel, a program, or one thread. Task context. */
#pragma once

#include "core/perf/options.h"

/*
 * True if a workload that begins with this word is a program. What the console does for it, such as
 * reading its file and waiting, is not the program's work.
 */
bool target_is_program(const char *word);

/*
 * Stores the target in each event, and rejects events that can never hit. Returns 0, or a negative
 * errno and the reason.
 */
int targets_choose(struct perf_options *options, struct refusal *why);

/*
 * Rejects events that cannot be recorded together with `branches`, and stores whether --start opens
 * its window. Called after terms_apply. Returns 0, or -EINVAL and the reason.
 */
int targets_check_branches(struct recording_options *recording, struct refusal *why);
