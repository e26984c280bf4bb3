/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setters (core/lib/option.h) of what narrows hits: the number of a thread or process, a
 * uint32_t, and CPUs, the bits of a uint64_t. Task context.
 */
#pragma once

#include "core/lib/refusal.h"

int narrow_set_pid(void *at, const char *typed, char *value, struct refusal *why);

/* 0,2-3 */
int narrow_set_cpus(void *at, const char *typed, char *value, struct refusal *why);
