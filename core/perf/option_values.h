/* SPDX-License-Identifier: BSD-2-Clause */
/* Setters (core/lib/option.h) of single values. Task context. */
#pragma once

#include "core/lib/refusal.h"

/* A uint64_t in bytes: pages, as in the real perf, or bytes with the unit k or m. */
int value_set_ring_size(void *at, const char *typed, char *value, struct refusal *why);

/* A uint64_t: instructions, also with the unit k or m. */
int value_set_window(void *at, const char *typed, char *value, struct refusal *why);

/* A uint32_t: a thread or process. */
int value_set_pid(void *at, const char *typed, char *value, struct refusal *why);

/* Bits of a uint64_t: CPUs as 0,2-3, system calls as NAME[,NAME]... */
int value_set_cpus(void *at, const char *typed, char *value, struct refusal *why);
int value_set_calls(void *at, const char *typed, char *value, struct refusal *why);

/* A struct trace_options: -s and -S. */
int value_set_summary(void *at, const char *typed, char *value, struct refusal *why);
