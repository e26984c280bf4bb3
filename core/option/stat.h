/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf stat` alone, as the real perf spells them; core/option/record.h has those
 * that it shares with `perf record`.
 *
 *   -r N, --repeat N              the command runs N times: means, and how far they may be off
 *   -I MS, --interval-print MS    the counts of each MS milliseconds, while the command runs
 *
 * Task context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define STAT_INTERVAL_MIN_MS 10 /* how often something can look at the clock: each tick */

struct stat_options {
    unsigned runs;        /* 0: not said, one */
    uint32_t interval_ms; /* 0: counts are printed at the end only */
};

/* One of these; it takes a value. */
bool stat_option_is(const char *option);

/* 0, or -EINVAL and the reason. */
int stat_option_parse(struct stat_options *options, const char *option, const char *value,
                      struct refusal *why);

/*
 * Whether they go together; `workload`: there is a command; `tallied`: hits are told apart. 0, or
 * -EINVAL and the reason.
 */
int stat_options_check(const struct stat_options *options, bool workload, bool tallied,
                       struct refusal *why);
