/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that tell hits apart while they come (core/tally/tally.h), for the events of the -e
 * before them:
 *
 *   --by comm|cpu|caller|FIELD   how many hits had the same
 *   --hist FIELD                 how many hits had a value from one power of two to the next
 *
 * Both together: a histogram for each. Task context.
 */
#pragma once

#include "core/event/spec.h"

/* For so many events: --by or --hist. 0, or -EINVAL and the reason. */
int tally_option_parse(struct event_spec *events, unsigned count, const char *option,
                       const char *value, struct refusal *why);
