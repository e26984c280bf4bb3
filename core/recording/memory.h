/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording's memory, which the host provides: one ring per CPU, and tables for the events'
 * aggregates. For core/recording/ and core/perf/; task context.
 */
#pragma once

#include <stddef.h>

#include "core/recording/recording.h"
#include "core/ring/ring.h"

/* Returns NULL if memory is short; `why` is then `what`, a colon, and the host's reason. */
void *recording_take(size_t bytes, const char *what, struct refusal *why);

/*
 * Replaces the rings of all CPUs. Returns 0, or -ENOMEM or -EINVAL and the reason; then no ring has
 * memory.
 */
int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why);

/* Allocates the aggregates that `count` events need. Returns 0, or -ENOMEM and the reason. */
int recording_aggregates_take(struct event *events, unsigned count, struct refusal *why);
void recording_aggregates_give(struct event *events, unsigned count);
