/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the words of `perf record`, `perf stat` and `perf trace` to a recording's events and what is
 * done with them. core/option/table.h has the options, `help perf record` and docs/perf.md tell of
 * them. Task context.
 */
#pragma once

#include "core/option/stat.h"
#include "core/recording/recording.h"
#include "core/trace/print.h"

struct perf_options {
    struct recording_options recording;
    struct stat_options stat;   /* of `perf stat` alone */
    struct trace_options trace; /* of `perf trace` alone */
    bool verify;                /* --verify-chain */
    bool all_threads;           /* -a, or what means it: -C, or a recording without a workload */
    int workload_count;
    char **workload; /* NULL: none */
};

/*
 * argv[0] is "stat", "trace", or another word for "record"; the words are cut up. 0, or a negative
 * errno and the reason.
 */
int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why);
