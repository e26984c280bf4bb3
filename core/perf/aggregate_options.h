/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that aggregate hits (core/aggregate/aggregate.h), for the events of the preceding -e:
 *
 *   --by comm|cpu|caller|FIELD   hits per value; with --hist a histogram per value
 *   --hist FIELD                 hits per range of values, from one power of two to the next
 *
 * Options for a span of time between two events (core/aggregate/aggregate.h):
 *
 *   --from EVENT   its hits begin the span
 *   --to EVENT     its hits end the span; a --by after it groups the times
 *   --key FIELD    both hits have the same thread and the same value in this field; the default
 *                  is the first pointer field that both events have under the same name, if any
 *
 * Task context.
 */
#pragma once

#include "core/event/spec.h"

/* Applies --by or --hist. */
int aggregate_option_parse(struct event_spec *events, unsigned count, const char *option,
                           const char *value, struct refusal *why);

/* Marks the event that --from or --to added; rejects more than one event. */
int span_option_mark(struct event_spec *events, unsigned count, const char *option,
                     struct refusal *why);

/* Checks that a span has both of its events or neither, and chooses the key. */
int span_options_choose(struct event_spec *events, unsigned count, const char *key,
                        struct refusal *why);
