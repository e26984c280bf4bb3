/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event sources: what can be counted and sampled. A source is a file in core/event/ that defines a
 * struct event_source, and a line in core/event/sources.c. Other code asks for the flags below, and
 * for the attributes that `parse` has set: core/perf decides by them which options an event takes.
 * Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

struct event;
struct event_spec;
struct sink;

/* Returned by `parse` if the spelling belongs to another source. */
#define EVENT_IS_ANOTHERS 1

struct event_source {
    const char *spelt;          /* as listed in error messages: "cpu-clock" */
    const char *spelt_embedded; /* ... if not own_kernel; NULL: alike */
    const char *name; /* matched against patterns of `perf list`; NULL: the source has many names */
    void (*describe)(struct sink *sink); /* prints the entry of `perf list` */
    /*
     * Sets the attributes that the spelling gives; all others are 0. Returns 0, a negative errno
     * and the reason, or EVENT_IS_ANOTHERS.
     */
    int (*parse)(const char *spelling, struct event_spec *spec, struct refusal *why);
    /* Start and stop counting. `enable` returns 0, or a negative errno and a reason. */
    int (*enable)(struct event *event, struct refusal *why);
    void (*disable)(struct event *event);
    /*
     * Called when the count restarts at 0; any rings are set, and all CPUs are parked. May be NULL.
     */
    void (*begin)(struct event *event);
    /*
     * Updates the counts. Called without rings, with all CPUs parked. NULL: each hit is counted as
     * it occurs.
     */
    void (*count)(struct event *event);

    bool counts_time; /* counts ns; a frequency needs no search for a period */
    bool has_fields;  /* hits have a record (PERF_SAMPLE_RAW), which filters may inspect */
    bool watches;     /* watches a kernel or program address with debug registers */
    bool follows;     /* follows a thread across CPUs; takes neither an address nor a CPU */

    unsigned hertz_max;     /* highest frequency that can be requested */
    unsigned hertz_default; /* if neither frequency nor period is given; 0: sample every hit */
    uint64_t period_min;    /* shortest period that can be requested */
};

extern const struct event_source breakpoint_source, clock_source, branches_source,
    tracepoint_source;

/* In parsing order. */
extern const struct event_source *const event_sources[];
extern const size_t event_source_count;
