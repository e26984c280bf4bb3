/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf stat` does with its counts, and what it refuses as it takes no samples. Task context.
 */
#pragma once

#include "core/lib/refusal.h"

struct gathered;

/* Whether what was gathered can be counted. 0, or -EINVAL and the reason. */
int stat_options_check(const struct gathered *gathered, struct refusal *why);
