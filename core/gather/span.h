/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that make two events a span of time (core/tally/span.h):
 *
 *   --from EVENT   an event as by -e, whose hits begin it
 *   --to EVENT     ... and one whose hits end it; --by after it is for the times
 *   --key FIELD    in the same thread, and with the same in this field of both events; without it,
 *                  in the first pointer that both have under one name, if there is one
 *
 * Task context.
 */
#pragma once

#include "core/event/spec.h"

/* What an option has added, from `events` on, is one event that begins spans, or ends them. */
int span_option_mark(struct event_spec *events, unsigned count, enum tally_role role,
                     const char *option, struct refusal *why);

/*
 * Checks all events: there are both, or neither; and chooses the key. 0, or -EINVAL and the reason.
 */
int span_options_choose(struct event_spec *events, unsigned count, const char *key,
                        struct refusal *why);
