/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terms of an event, EVENT/period=N,regs=yes/: how to take its samples. Terms override the
 * options, which apply to all events. A term is parsed like the option of the same meaning. Task
 * context.
 */
#pragma once

#include "core/event/spec.h"
#include "core/perf/chain.h"

struct event_terms {
    uint64_t period;    /* 0: not given */
    uint64_t frequency; /* 0: not given, RATE_MOST: the highest supported */
    uint64_t skip;      /* 0: not given */
    uint64_t window;    /* 0: not given. Only for branches, both counts and samples */
    bool stop;          /* each sample stops the program that was hit */
    enum chain_term chain;
    int registers; /* 0: not given, 1: yes, -1: no */
    int raw;       /* likewise */
};

#define RATE_MOST UINT64_MAX /* frequency: the highest that the source supports */

struct perf_options;

/* Splits "/term,term/" off the end of an event. Returns 0, or -EINVAL and the reason. */
int terms_parse(char *event, struct event_terms *terms, struct refusal *why);

/* True if any term applies to samples. */
bool terms_has_any(const struct event_terms *terms);

/* Sets each event's attributes by its own terms, then by the global options. */
void terms_apply(struct perf_options *options);

/*
 * Rejects rates that a source does not support, and terms and options that have no effect on these
 * events. Returns 0, or -EINVAL and the reason.
 */
int terms_check(const struct perf_options *options, struct refusal *why);

/*
 * Setters (core/lib/option.h): of a frequency, and of an int by yes or no, or by a flag for either.
 */
int terms_set_rate(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_answer(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_yes(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_no(void *at, const char *typed, char *value, struct refusal *why);
