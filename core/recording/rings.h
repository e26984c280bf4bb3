/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a recording, which the host gives: a ring for each CPU, and rooms of other kinds.
 * For core/recording/; task context.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "core/recording/kept.h" /* where they lie if a reset is to leave them */
#include "core/recording/recording.h"
#include "core/ring/ring.h"

/*
 * Returns NULL if there is not enough memory; `why` then tells what it was for (`what`) and how
 * much there is.
 */
void *recording_take(size_t bytes, const char *what, struct refusal *why);

/*
 * The first gives back the memory of all CPUs' rings; the second takes memory for a recording with
 * these options. Returns 0, or -ENOMEM or -EINVAL, and then no ring has memory.
 */
void recording_rings_give(struct ring *rings);
int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why);
