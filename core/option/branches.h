/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `branches` asks of the other events of a recording, and refuses. Called by
 * core/option/record.c; task context.
 */
#pragma once

#include <stdbool.h>

#include "core/event/spec.h"

/*
 * Whether these events, terms applied, can be had together; says in the one of `branches` how its
 * window is opened. 0, or -EINVAL with the reason.
 */
int branches_choose(struct event_spec *events, unsigned count, struct refusal *why);
