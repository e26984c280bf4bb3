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
struct perf_event_attr;
struct pitot_program;
struct sink;

/* Returned by `parse` if the spelling belongs to another source. */
#define EVENT_IS_ANOTHERS 1

struct event_source {
    const char *spelt;          /* as listed in error messages: "cpu-clock" */
    const char *spelt_embedded; /* ... if not own_kernel; NULL: alike, "": not listed */
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

/* --- For `parse`, which reads a spelling from left to right (spec.c). --- */

/* A function that reads a part advances `at` past it, and returns 0 or quotes the wrong word. */
struct spelling {
    const char *at;
    struct refusal *why;
    const struct pitot_program *program; /* where symbols are looked up; NULL: the kernel */
};

#define SPELLING_LIST 200 /* bytes for the names in a refusal */

bool spelling_is_digit(char character);

/* Returns the length of a number, or of a name from C, assembly or a compiler ("copy.part.1"). */
size_t spelling_word_length(const char *text);

int spelling_refuse_missing(const struct spelling *cursor, const char *what);

/*
 * Reads :u, :k or :uk, which select user mode, the kernel or both; both is the default. The
 * spelling must end after them. `else_is`: what an error calls any other text.
 */
int spelling_modifiers(struct spelling *cursor, const char *else_is, struct perf_event_attr *attr);

int spelling_end(const struct spelling *cursor);

/* Skip a prefix and return true if it is there. A name must be followed by a colon or the end. */
bool spelling_skip(struct spelling *cursor, const char *prefix);
bool spelling_skip_name(struct spelling *cursor, const char *name);

/*
 * For an event that does not exist: says how to write a symbol that is spelt without mem:, or which
 * tracepoints are near.
 */
int event_refuse_unknown(const char *spelling, struct refusal *why);

/* Lists the tracepoints nearest to `wrong`, with or without its system. False if none is near. */
bool event_near_tracepoints(const char *wrong, char *near, size_t size);
