/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terms of an event, EVENT/period=N,regs=yes/: how its samples are taken. They override the
 * options, which are for all events. A term is read as the option of the same meaning. Task
 * context.
 */
#pragma once

#include "core/event/spec.h"
#include "core/perf/chain.h"

struct event_terms {
    uint64_t period;    /* 0: not said */
    uint64_t frequency; /* 0: not said, RATE_MOST: the most possible */
    uint64_t skip;      /* 0: not said */
    uint64_t window;    /* 0: not given. In branches; for counts as well as samples */
    bool stop;          /* each sample stops the program that was hit */
    enum chain_term chain;
    int registers; /* 0: not said, 1: yes, -1: no */
    int raw;       /* likewise */
};

#define RATE_MOST UINT64_MAX /* a frequency: the most that the source has */

struct perf_options;

/* Cuts "/term,term/" off the end of an event. 0, or -EINVAL and the reason. */
int terms_parse(char *event, struct event_terms *terms, struct refusal *why);

/* True if one of them is about samples. */
bool terms_has_any(const struct event_terms *terms);

/* Sets each event's attributes by its own terms, then by the options for all. */
void terms_apply(struct perf_options *options);

/*
 * Refuses rates that a source does not have, and terms and options that have no effect on these
 * events. 0, or -EINVAL and the reason.
 */
int terms_check(const struct perf_options *options, struct refusal *why);

/* Setters (core/lib/option.h) of a frequency; of an int: yes and no, and of a flag for either. */
int terms_set_rate(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_answer(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_yes(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_no(void *at, const char *typed, char *value, struct refusal *why);
