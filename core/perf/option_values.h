/* SPDX-License-Identifier: BSD-2-Clause */
/* Setters (core/lib/option.h) of single values. Task context. */
#pragma once

#include "core/lib/refusal.h"

/* Sets a uint64_t to a size in bytes, given in pages as in the real perf, or with unit k or m. */
int value_set_ring_size(void *at, const char *typed, char *value, struct refusal *why);

/* Sets a uint64_t to a number of instructions, given with or without the unit k or m. */
int value_set_window(void *at, const char *typed, char *value, struct refusal *why);

/* Sets a uint32_t to the number of a thread or process. */
int value_set_pid(void *at, const char *typed, char *value, struct refusal *why);

/* Set bits of a uint64_t: for CPUs, given as 0,2-3; and for system calls, as NAME[,NAME]... */
int value_set_cpus(void *at, const char *typed, char *value, struct refusal *why);
int value_set_calls(void *at, const char *typed, char *value, struct refusal *why);

/* Sets a struct trace_options by -s or -S. */
int value_set_summary(void *at, const char *typed, char *value, struct refusal *why);
