/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's memory, taken from the host: rings, and tables of aggregates. Task context. */
#pragma once

#include <stddef.h>

#include "core/recording/recording.h"
#include "core/ring/ring.h"

/* Returns memory; or NULL, and then `why` is `what`, a colon, and the host's reason. */
void *recording_take(size_t bytes, const char *what, struct refusal *why);

/* Replaces the rings of all CPUs. If it returns -ENOMEM or -EINVAL, no ring has memory. */
int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why);

/* Allocates the aggregates that `count` events need. Returns 0, or -ENOMEM and the reason. */
int recording_aggregates_take(struct event *events, unsigned count, struct refusal *why);
void recording_aggregates_give(struct event *events, unsigned count);
