/* SPDX-License-Identifier: BSD-2-Clause */
/* The target of an event: the kernel, a program, or one thread. Task context. */
#pragma once

#include "core/perf/options.h"

/* True if a workload that begins with this word is a program, not a console command. */
bool target_is_program(const char *word);

/* Stores the target in each event, and rejects events that can never hit. */
int targets_choose(struct perf_options *options, struct refusal *why);

/*
 * Called after terms_apply. Rejects what cannot be combined with `branches`, and stores whether
 * --start opens its window.
 */
int targets_check_branches(struct recording_options *recording, struct refusal *why);
