/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf record`, `perf stat` and `perf trace`: what was typed, and the events and
 * the recording that follow from it. Task context, one command at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "core/perf/terms.h"
#include "core/recording/recording.h"
#include "core/script/trace_print.h"

#define STAT_INTERVAL_MIN_MS 10 /* something looks at the clock at each tick */

struct stat_options {
    uint32_t runs;        /* 0: not given, one */
    uint32_t interval_ms; /* 0: counts are printed at the end only */
};

struct perf_options {
    struct recording_options recording;
    struct stat_options stat;   /* of `perf stat` */
    struct trace_options trace; /* of `perf trace` */
    bool verify;                /* --verify-chain */
    bool all_cpus;              /* -a */
    bool all_threads;           /* -a, -C, or a recording without a workload */
    uint32_t pid;               /* of -p; 0: any */
    uint64_t cpus;              /* of -C, bit i: CPU i; 0: any */
    const char *key;            /* of --key; NULL: not given */
    int workload_count;
    char **workload; /* NULL: none */
    /* How samples are taken: of all events, and of each (recording.events). */
    struct event_terms all;
    struct event_terms own[RECORDING_EVENTS_MAX];
    unsigned last; /* the first event that the last option added */
};

/*
 * argv[0] is "stat", "trace", or another word for "record"; the words are cut up in place. 0, or a
 * negative errno and the reason.
 */
int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why);
