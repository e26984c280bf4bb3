/* SPDX-License-Identifier: BSD-2-Clause */
/* Setters (core/lib/option.h) of what `perf trace` prints. Task context. */
#pragma once

#include "core/lib/refusal.h"

/* NAME[,NAME]...: of a uint64_t, a bit for each call. */
int calls_set(void *at, const char *typed, char *value, struct refusal *why);

/* They set a struct trace_options: -s and -S. */
int calls_set_sums(void *at, const char *typed, char *value, struct refusal *why);
int calls_set_both(void *at, const char *typed, char *value, struct refusal *why);
