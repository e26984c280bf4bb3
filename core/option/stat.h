/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf stat` does with its counts, and what it refuses as it takes no samples. Task context.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"

#define STAT_INTERVAL_MIN_MS 10 /* how often something can look at the clock: each tick */

struct stat_options {
    uint32_t runs;        /* 0: not said, one */
    uint32_t interval_ms; /* 0: counts are printed at the end only */
};

struct gathered;

/* Whether what was gathered can be counted. 0, or -EINVAL and the reason. */
int stat_options_check(const struct gathered *gathered, struct refusal *why);
