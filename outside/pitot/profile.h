/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording's samples, added up: a tree of calls, and the weight of each event, thread and call
 * chain. So its size depends on how many chains differ, not on how many samples there are. Filled
 * by outside/pitot/perf_script.c and graph.c, drawn by outside/pitot/show_*.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/interned.h"

#define PROFILE_ROOT     0 /* the node above all outermost functions */
#define PROFILE_NO_PLACE UINT32_MAX

/* A function in a call chain, outermost first. */
struct profile_node {
    uint32_t parent, name;
};

struct profile_row {
    uint32_t event, thread, node, place;
};

struct profile_sum {
    uint64_t weight, samples;
};

struct profile {
    struct interned names, places, events, threads; /* strings */
    struct interned listed;   /* names of events, in the recording's order, also without samples */
    struct interned nodes;    /* struct profile_node */
    struct interned rows;     /* struct profile_row */
    struct profile_sum *sums; /* of each row */
    size_t sums_room;
    uint64_t named;  /* samples in functions that have a name */
    uint64_t chains; /* samples with a caller */
};

/* One sample: its functions innermost first, and the place in the first one, or NULL. */
struct profile_sample {
    const char *comm, *event;
    int32_t tid;
    uint64_t weight;
    size_t depth;
    char *const *functions;
    const char *place;
};

void profile_add(struct profile *profile, const struct profile_sample *sample);

/* For costs of another origin: the node of a function, and what it weighs itself. */
uint32_t profile_callee(struct profile *profile, uint32_t caller, const char *function);
void profile_count(struct profile *profile, const char *event, const char *thread, uint32_t node,
                   uint64_t weight, uint64_t samples);

const struct profile_node *profile_node(const struct profile *profile, uint32_t node);
const struct profile_row *profile_row(const struct profile *profile, uint32_t row);

/* Zeroed memory for an array of a viewer's; ends the program if there is none. */
void *profile_array(size_t count, size_t size);

/* All rows in the order of event and thread, to be freed. */
uint32_t *profile_order(const struct profile *profile);

/* The end of the rows from `at` on in this order that have the same event and thread. */
size_t profile_group(const struct profile *profile, const uint32_t *order, size_t at);

/* The name of a node's function. */
const char *profile_function(const struct profile *profile, uint32_t node);

/* True if the event counts nanoseconds of a clock. */
bool profile_is_time(const char *event);

/* What weights of the event are: "instructions", "hits", "ns", or "events". */
const char *profile_unit(const char *event);
