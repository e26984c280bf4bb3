/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the options of `perf record`, `perf stat` and `perf trace`. Task context, one command at a
 * time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event/spec.h"
#include "core/lib/refusal.h"
#include "core/recording/recording.h"
#include "core/sample/sample.h"
#include "core/script/trace_calls.h"

#define STAT_INTERVAL_MIN_MS 10 /* the end of an interval is noticed at a tick */

struct stat_options {
    uint32_t runs;        /* 0: not given, one run */
    uint32_t interval_ms; /* 0: counts are printed at the end only */
};

enum chain_term { CHAIN_UNSAID, CHAIN_NO, CHAIN_DEFAULT, CHAIN_ORC, CHAIN_FP };

#define RATE_MOST UINT64_MAX /* requests the highest frequency that the source supports */

/*
 * Terms of an event, EVENT/period=N,regs=yes/, which override the options that apply to all events.
 * A member is 0 if its term or option was not given.
 */
struct event_terms {
    uint64_t period, frequency, skip;
    uint64_t window; /* of `branches` only, whether it is counted or sampled */
    bool stop;       /* each sample stops the program that was hit */
    enum chain_term chain;
    int registers, raw; /* 1: yes, -1: no */
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

/* --- Terms. Here and below: for core/perf/; setters are those of option rows (option.h). --- */

/* Splits "/term,term/" off the end of an event. */
int terms_parse(char *event, struct event_terms *terms, struct refusal *why);

/* True if any term is for samples. */
bool terms_has_any(const struct event_terms *terms);

/* Sets each event's attributes from its own terms or, where one is not given, from the options. */
void terms_apply(struct perf_options *options);

/* Rejects rates that a source does not support, and terms and options without effect. */
int terms_check(const struct perf_options *options, struct refusal *why);

/*
 * Setters. terms_set_rate sets a frequency. terms_set_answer sets an int to 1 by yes or --FLAG, to
 * -1 by no or --no-FLAG.
 */
int terms_set_rate(void *at, const char *typed, char *value, struct refusal *why);
int terms_set_answer(void *at, const char *typed, char *value, struct refusal *why);

/* For option rows: the range of callers to skip. */
#define CHAIN_SKIP .what = "skip", .unit = "callers", .least = 1, .most = SAMPLE_CHAIN_MAX - 1

/*
 * Setters of an enum chain_term. chain_set stores the method named by `value`; chain_set_default
 * stores the kernel's default, unless a method was named.
 */
int chain_set(void *at, const char *typed, char *value, struct refusal *why);
int chain_set_default(void *at, const char *typed, char *value, struct refusal *why);

/* Rejects chain options if no event has chains, and unwind methods that this kernel lacks. */
int chains_check(const struct perf_options *options, struct refusal *why);

/* --- Events. The setters' `at` is the struct perf_options. --- */

/* Adds an event, written as core/event/spec.h describes. */
int events_add(struct perf_options *options, const char *event, const struct event_terms *terms,
               struct refusal *why);

/* Adds EVENT[/TERM,.../][,EVENT...]. A pattern, or a subsystem (`lock:`), adds several. */
int events_set(void *at, const char *typed, char *value, struct refusal *why);

/* Add events as events_set does, and mark them: by --trigger or --start, and by --from or --to. */
int events_set_marked(void *at, const char *typed, char *value, struct refusal *why);
int events_set_span(void *at, const char *typed, char *value, struct refusal *why);

/* Setters of --filter, and of --by and --hist, for the events of the preceding option. */
int events_set_filter(void *at, const char *typed, char *value, struct refusal *why);
int events_set_aggregate(void *at, const char *typed, char *value, struct refusal *why);

/* --- Aggregates and spans (aggregate_options.c). --- */

/* Applies --by or --hist. */
int aggregate_option_parse(struct event_spec *events, unsigned count, const char *option,
                           const char *value, struct refusal *why);

/* Marks the event that --from or --to added; rejects more than one event. */
int span_option_mark(struct event_spec *events, unsigned count, const char *option,
                     struct refusal *why);

/* Checks that a span has both of its events or neither, and chooses the key. */
int span_options_choose(struct event_spec *events, unsigned count, const char *key,
                        struct refusal *why);

/* --- The target of an event: the kernel, a program, or one thread. --- */

/* True if a workload that begins with this word is a program, not a console command. */
bool target_is_program(const char *word);

/* Stores the target in each event, and rejects events that can never hit. */
int targets_choose(struct perf_options *options, struct refusal *why);

/*
 * Called after terms_apply. Rejects what cannot be combined with `branches`, and stores whether
 * --start opens its window.
 */
int targets_check_branches(struct recording_options *recording, struct refusal *why);
