/* SPDX-License-Identifier: BSD-2-Clause */
/* How often an event is sampled: each N-th hit, or so many times a second. Task context. */
#pragma once

#include "core/event/spec.h"

#define RATE_MOST UINT64_MAX /* a frequency: the most that the source has */

struct event_terms;
struct gathered;

/* The setter (core/lib/option.h) of a frequency. */
int rate_set(void *at, const char *typed, char *value, struct refusal *why);

void rate_apply(struct event_spec *event, const struct event_terms *terms);

/* Whether so many samples can be had of each event. 0, or -EINVAL and the reason. */
int rates_check(const struct gathered *gathered, struct refusal *why);
