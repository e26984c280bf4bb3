/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setters (core/lib/option.h) that add events to the options, or change those that the option
 * before them added. `at` is the struct perf_options. Task context.
 */
#pragma once

#include "core/perf/options.h"

/* One event, spelt as core/event/spec.h has it. 0, or a negative errno and the reason. */
int events_add(struct perf_options *options, const char *event, const struct event_terms *terms,
               struct refusal *why);

/* EVENT[/TERM,.../][,EVENT...]; with * and ?, or by a subsystem's name alone, several each. */
int events_set(void *at, const char *typed, char *value, struct refusal *why);

/* Likewise, and what they are for: --trigger, --start, --from, --to. */
int events_set_trigger(void *at, const char *typed, char *value, struct refusal *why);
int events_set_start(void *at, const char *typed, char *value, struct refusal *why);
int events_set_from(void *at, const char *typed, char *value, struct refusal *why);
int events_set_to(void *at, const char *typed, char *value, struct refusal *why);

/* --filter, and --by and --hist. */
int events_set_filter(void *at, const char *typed, char *value, struct refusal *why);
int events_set_tally(void *at, const char *typed, char *value, struct refusal *why);
