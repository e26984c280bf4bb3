/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setters (core/lib/option.h) that add events to what is gathered, or say something of those that
 * the option before them has added. Each gets the whole struct gathered. Task context.
 */
#pragma once

#include "core/gather/gathered.h"

/* One event, spelt as core/event/spec.h has it. 0, or a negative errno and the reason. */
int events_add(struct gathered *gathered, const char *event, const struct event_terms *terms,
               struct refusal *why);

/* EVENT[/TERM,.../][,EVENT...]; with * and ?, or by a subsystem's name alone, several each. */
int events_set(void *gathered, const char *typed, char *value, struct refusal *why);

/* Likewise, and what they are for: --trigger, --start, --from, --to. */
int events_set_trigger(void *gathered, const char *typed, char *value, struct refusal *why);
int events_set_start(void *gathered, const char *typed, char *value, struct refusal *why);
int events_set_from(void *gathered, const char *typed, char *value, struct refusal *why);
int events_set_to(void *gathered, const char *typed, char *value, struct refusal *why);

/* --filter, and --by and --hist. */
int events_set_filter(void *gathered, const char *typed, char *value, struct refusal *why);
int events_set_tally(void *gathered, const char *typed, char *value, struct refusal *why);
