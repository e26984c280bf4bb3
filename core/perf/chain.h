/* SPDX-License-Identifier: BSD-2-Clause */
/* Options for call chains. Task context. */
#pragma once

#include "core/event/spec.h"
#include "core/sample/sample.h"

enum chain_term { CHAIN_UNSAID, CHAIN_NO, CHAIN_DEFAULT, CHAIN_ORC, CHAIN_FP };

struct perf_options;

/* For option rows (core/lib/option.h): the range of callers to skip. */
#define CHAIN_SKIP .what = "skip", .unit = "callers", .least = 1, .most = SAMPLE_CHAIN_MAX - 1

/*
 * Option setters (core/lib/option.h) of an enum chain_term. chain_set stores the method named by
 * `value`; chain_set_default stores the kernel's default, unless a method was named.
 */
int chain_set(void *at, const char *typed, char *value, struct refusal *why);
int chain_set_default(void *at, const char *typed, char *value, struct refusal *why);

void chain_apply(struct event_spec *event, enum chain_term term, uint64_t skip, bool verify);

/* Rejects chain options if no event has chains, and unwind methods that this kernel lacks. */
int chains_check(const struct perf_options *options, struct refusal *why);
