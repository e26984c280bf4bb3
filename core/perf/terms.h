/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terms of an event, EVENT/period=N,regs=yes/. They override the options that apply to all events.
 * Task context.
 */
#pragma once

#include "core/event/spec.h"
#include "core/perf/chain.h"

#define RATE_MOST UINT64_MAX /* requests the highest frequency that the source supports */

/* A member is 0 if its term or option was not given. */
struct event_terms {
    uint64_t period, frequency, skip;
    uint64_t window; /* of `branches` only, whether it is counted or sampled */
    bool stop;       /* each sample stops the program that was hit */
    enum chain_term chain;
    int registers, raw; /* 1: yes, -1: no */
};

struct perf_options;

/* Splits "/term,term/" off the end of an event. */
int terms_parse(char *event, struct event_terms *terms, struct refusal *why);

/* True if any term is for samples. */
bool terms_has_any(const struct event_terms *terms);

/* Sets each event's attributes from its own terms or, where one is not given, from the options. */
void terms_apply(struct perf_options *options);

/* Rejects rates that a source does not support, and terms and options without effect. */
int terms_check(const struct perf_options *options, struct refusal *why);

/*
 * Option setters (core/lib/option.h). terms_set_rate sets a frequency. terms_set_answer sets an int
 * to 1 by yes or --FLAG, to -1 by no or --no-FLAG.
 */
int terms_set_rate(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_answer(void *at, const char *typed, char *value, struct refusal *why);
