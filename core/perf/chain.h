/* SPDX-License-Identifier: BSD-2-Clause */
/* Call chains: whether samples have them, made in which way, from which caller on. Task context. */
#pragma once

#include "core/event/spec.h"
#include "core/sample/sample.h"

enum chain_term { CHAIN_UNSAID, CHAIN_NO, CHAIN_DEFAULT, CHAIN_ORC, CHAIN_FP };

struct perf_options;

/* Says in a row (core/lib/option.h) how many callers can be skipped. */
#define CHAIN_SKIP .what = "skip", .unit = "callers", .least = 1, .most = SAMPLE_CHAIN_MAX - 1

/* Setters of an enum chain_term: the way that is named, or for a flag the kernel's own. */
int chain_set(void *at, const char *typed, char *value, struct refusal *why);
int chain_set_default(void *at, const char *typed, char *value, struct refusal *why);

void chain_apply(struct event_spec *event, enum chain_term term, uint64_t skip, bool verify);

/*
 * An option about chains is a mistake if no event has chains, and so is a way that this kernel
 * lacks. 0, or -EINVAL and the reason.
 */
int chains_check(const struct perf_options *options, struct refusal *why);
