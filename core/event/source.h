/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source of events: what can be counted and sampled. Each source is a file of core/event/ that
 * defines a struct event_source, and a line of core/event/sources.c; no other code asks of which
 * kind an event is. All functions run in task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

struct event;
struct event_spec;
struct sink;

/* parse returns this if the spelling belongs to another source. */
#define EVENT_IS_ANOTHERS 1

struct event_source {
    const char *spelt; /* as refusals list it: "cpu-clock" */
    const char *name;  /* what a pattern of `perf list` is compared with; NULL: it has many names */
    void (*describe)(struct sink *sink); /* what `perf list` says of it */
    /*
     * Sets the attributes that the spelling means; all others are already 0. Returns 0, a negative
     * errno and the reason, or EVENT_IS_ANOTHERS.
     */
    int (*parse)(const char *spelling, struct event_spec *spec, struct refusal *why);
    /*
     * enable: the event counts from now on. disable: it no longer counts. 0, or a negative errno
     * and a reason.
     */
    int (*enable)(struct event *event, struct refusal *why);
    void (*disable)(struct event *event);
    /*
     * Starts to count at 0; the event has its rings, or none; all CPUs are parked. NULL: there is
     * nothing to do.
     */
    void (*begin)(struct event *event);
    /*
     * Its counts are brought up to now; it has no rings, and all CPUs are parked. NULL: each hit
     * is counted when it comes.
     */
    void (*count)(struct event *event);

    bool counts_time; /* it counts time in ns; its period is a time, and a frequency needs no search
                       * for it */
    bool has_fields;  /* a hit has a record (PERF_SAMPLE_RAW), and a filter may look at it */
    bool watches;     /* it watches an address of the kernel or of a program: the arbiter's
                       * registers */
    bool follows;     /* it follows a thread, wherever that runs; it has neither a place nor a
                       * CPU */

    unsigned hertz_max;     /* the most samples a second that a user can ask for */
    unsigned hertz_default; /* if the user gives neither a frequency nor a period; 0: each hit is a
                             * sample */
    uint64_t period_min;    /* the shortest period that a user can ask for */
};

/* In the order in which they are asked to parse. */
extern const struct event_source *const event_sources[];
extern const size_t event_source_count;
