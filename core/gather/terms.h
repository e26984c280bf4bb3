/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terms of an event, EVENT/period=N,regs=yes/: they speak of its samples alone, and beat what
 * the options say of all. A term is read as the option of the same meaning is. Task context.
 */
#pragma once

#include "core/event/spec.h"
#include "core/gather/chain.h"

/* What holds for an event where its own terms do not say otherwise; or those. */
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

struct gathered;

/* Cuts "/term,term/" off the end of an event. 0, or -EINVAL and the reason. */
int terms_parse(char *event, struct event_terms *terms, struct refusal *why);

/* True if there is one that speaks of samples. */
bool terms_has_any(const struct event_terms *terms);

/* Makes of each event what its own terms and the options for all say. */
void terms_apply(struct gathered *gathered);

/* Refuses terms and options for which the events have nothing. 0, or -EINVAL and the reason. */
int terms_check(const struct gathered *gathered, struct refusal *why);

/* Setters (core/lib/option.h) of an int: yes and no, and of a flag that says one of them. */
int terms_set_answer(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_yes(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_no(void *at, const char *typed, char *value, struct refusal *why);
