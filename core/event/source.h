/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source of events: what can be counted and sampled. Each is a file of core/source/ that defines
 * one of these, and a line of core/source/sources.c; nothing else asks of which kind an event is.
 * Task context, all of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

struct event;
struct event_spec;
struct sink;

/* What parse returns of what is spelt as another source's. */
#define EVENT_IS_ANOTHERS 1

struct event_source {
    const char *spelt; /* as in a list of what is possible: "cpu-clock" */
    const char *name;  /* that a pattern of `perf list` may match; NULL: it has many */
    void (*describe)(struct sink *sink); /* what `perf list` says of it */
    /*
     * Sets the attributes that the spelling means; all others are 0 before. 0; a negative errno and
     * the reason; or EVENT_IS_ANOTHERS.
     */
    int (*parse)(const char *spelling, struct event_spec *spec, struct refusal *why);
    /* The event counts from now on, or no more. 0, or a negative errno and a reason. */
    int (*enable)(struct event *event, struct refusal *why);
    void (*disable)(struct event *event);
    /*
     * It counts anew, and has its rings or none; all CPUs are parked. NULL: nothing is to be done.
     */
    void (*begin)(struct event *event);
    /*
     * Its counts are brought up to now; it has no rings, and all CPUs are parked. NULL: each hit
     * is counted when it comes.
     */
    void (*count)(struct event *event);

    bool counts_time; /* in ns; a period is one of time, and a frequency needs no search for it */
    bool has_fields;  /* a hit has a record (PERF_SAMPLE_RAW), and a filter may look at it */
    bool watches;     /* an address of the kernel or of a program: the arbiter's registers */
    bool follows;     /* a thread, wherever it runs: neither a place nor a CPU */

    unsigned hertz_max;     /* samples a second that can be asked for */
    unsigned hertz_default; /* if the event gives none, nor a period; 0: each hit is a sample */
    uint64_t period_min;    /* that can be asked for */
};

/* In the order in which they are asked to parse. */
extern const struct event_source *const event_sources[];
extern const size_t event_source_count;
