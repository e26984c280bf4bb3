/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the words of `perf record`, `perf stat` and `perf trace` come to: core/option/record.h makes
 * one, the commands do it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/recording/recording.h"
#include "core/script/trace_print.h"

#define STAT_INTERVAL_MIN_MS 10 /* how often something can look at the clock: each tick */

struct stat_options {
    uint32_t runs;        /* 0: not said, one */
    uint32_t interval_ms; /* 0: counts are printed at the end only */
};

struct perf_options {
    struct recording_options recording;
    struct stat_options stat;   /* of `perf stat` alone */
    struct trace_options trace; /* of `perf trace` alone */
    bool verify;                /* --verify-chain */
    bool all_threads;           /* -a, or what means it: -C, or a recording without a workload */
    int workload_count;
    char **workload; /* NULL: none */
};
