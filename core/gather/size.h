/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setters (core/lib/option.h) of a uint64_t that is written with a unit, k or m. Task context.
 */
#pragma once

#include "core/lib/refusal.h"

/* Pages as the real perf counts them, or bytes with a unit: in bytes. */
int size_set_ring(void *at, const char *typed, char *value, struct refusal *why);

/* Instructions. */
int size_set_window(void *at, const char *typed, char *value, struct refusal *why);
