/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setters (core/lib/option.h) that add events to the options, or change the events that the
 * preceding option added. `at` is the struct perf_options. Task context.
 */
#pragma once

#include "core/perf/options.h"

/* Adds one event, spelt as in core/event/spec.h. Returns 0, or a negative errno and the reason. */
int events_add(struct perf_options *options, const char *event, const struct event_terms *terms,
               struct refusal *why);

/*
 * Adds EVENT[/TERM,.../][,EVENT...]; an event with * or ?, or a subsystem's name alone, adds
 * several.
 */
int events_set(void *at, const char *typed, char *value, struct refusal *why);

/* Likewise, and mark the events for --trigger, --start, --from or --to. */
int events_set_trigger(void *at, const char *typed, char *value, struct refusal *why);
int events_set_start(void *at, const char *typed, char *value, struct refusal *why);
int events_set_from(void *at, const char *typed, char *value, struct refusal *why);
int events_set_to(void *at, const char *typed, char *value, struct refusal *why);

/* Setters of --filter, and of --by and --hist. */
int events_set_filter(void *at, const char *typed, char *value, struct refusal *why);
int events_set_tally(void *at, const char *typed, char *value, struct refusal *why);
