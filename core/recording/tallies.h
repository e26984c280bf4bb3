/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the events' tallies. Called by core/recording/recording.c; task context. */
#pragma once

#include "core/event/event.h"

/*
 * Allocates memory for those of `count` events that need it. Returns 0, or -ENOMEM and the reason.
 */
int recording_tallies_take(struct event *events, unsigned count, struct refusal *why);

/* Gives back all memory of the events' tallies. */
void recording_tallies_give(struct event *events, unsigned count);
