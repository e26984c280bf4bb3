/* SPDX-License-Identifier: BSD-2-Clause */
/* Setters (core/lib/option.h) of events; `at` is the struct perf_options. Task context. */
#pragma once

#include "core/perf/options.h"

/* Adds an event, written as core/event/spec.h describes. */
int events_add(struct perf_options *options, const char *event, const struct event_terms *terms,
               struct refusal *why);

/* Adds EVENT[/TERM,.../][,EVENT...]. A pattern, or a subsystem (`lock:`), adds several. */
int events_set(void *at, const char *typed, char *value, struct refusal *why);

/* Add events as events_set does, and mark them: by --trigger or --start, and by --from or --to. */
int events_set_marked(void *at, const char *typed, char *value, struct refusal *why);
int events_set_span(void *at, const char *typed, char *value, struct refusal *why);

/* Setters of --filter, and of --by and --hist, for the events of the preceding option. */
int events_set_filter(void *at, const char *typed, char *value, struct refusal *why);
int events_set_aggregate(void *at, const char *typed, char *value, struct refusal *why);
