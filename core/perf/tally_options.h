/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that sort hits while they come (core/tally/tally.h), for the events of the -e before
 * them:
 *
 *   --by comm|cpu|caller|FIELD   how many hits had each value
 *   --hist FIELD                 how many hits had a value from one power of two to the next
 *
 * With both: a histogram for each key. And those that make a span of time of two events
 * (core/tally/span.h):
 *
 *   --from EVENT   its hits begin the span
 *   --to EVENT     its hits end it; --by after it sorts the times
 *   --key FIELD    both events have the same value in this field, besides the same thread; by
 *                  default the first pointer that both have under one name, if any
 *
 * Task context.
 */
#pragma once

#include "core/event/spec.h"

/* For so many events: --by or --hist. 0, or -EINVAL and the reason. */
int tally_option_parse(struct event_spec *events, unsigned count, const char *option,
                       const char *value, struct refusal *why);

/* --from or --to has added these events, of which one is possible. 0, or -EINVAL and the reason. */
int span_option_mark(struct event_spec *events, unsigned count, enum tally_role role,
                     const char *option, struct refusal *why);

/*
 * Checks that there are both events of a span or none, and chooses the key. 0, or -EINVAL and the
 * reason.
 */
int span_options_choose(struct event_spec *events, unsigned count, const char *key,
                        struct refusal *why);
