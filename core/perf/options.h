/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the options of `perf record`, `perf stat` and `perf trace`. Task context, one command at a
 * time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "core/perf/terms.h"
#include "core/recording/recording.h"
#include "core/script/trace_calls.h"

#define STAT_INTERVAL_MIN_MS 10 /* the end of an interval is noticed at a tick */

struct stat_options {
    uint32_t runs;        /* 0: not given, one run */
    uint32_t interval_ms; /* 0: counts are printed at the end only */
};

struct perf_options {
    struct recording_options recording;
    struct stat_options stat;
    struct trace_options trace;
    bool verify;      /* --verify-chain */
    bool all_cpus;    /* -a */
    bool all_threads; /* -a, -C, or no workload */
    uint32_t pid;     /* -p; 0: any */
    uint64_t cpus;    /* -C, as in struct event_spec; 0: any */
    const char *key;  /* --key; NULL: not given */
    int workload_count;
    char **workload;                              /* NULL: none */
    struct event_terms all;                       /* options for the samples of all events */
    struct event_terms own[RECORDING_EVENTS_MAX]; /* own[i]: the terms of event i */
    unsigned last; /* index of the first event that the last event option added */
};

/*
 * Parses the options of the subcommand argv[0]: "stat", "trace", or any other word for "record".
 * Splits the arguments in place.
 */
int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why);
