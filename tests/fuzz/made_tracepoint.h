/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints and records made of the fuzzer's bytes, laid out as PITOT_TRACEPOINT does. For the
 * programs of tests/fuzz, which find symbols for some of the values.
 */
#pragma once

#include "core/tracepoint/tracepoint.h"
#include "tests/fuzz/feed.h"

struct made_tracepoint {
    struct pitot_tracepoint tracepoint;
    struct pitot_field field[TRACEPOINT_FIELDS_MAX];
    char full_name[40];
    char print[TRACEPOINT_FIELDS_MAX][24];
};

/* `number` makes its name unique. */
void made_tracepoint_feed(struct made_tracepoint *made, unsigned number, struct feed *feed);

/* A hit and its record, in memory that ends with the record. */
struct made_record {
    struct trace_hit hit;
    struct arch_place place;
    uint64_t argument[TRACEPOINT_FIELDS_MAX]; /* after the late ones have been found */
    uint64_t given[TRACEPOINT_FIELDS_MAX];
    char text[TRACEPOINT_FIELDS_MAX][TRACEPOINT_TEXT_SIZE + 8];
    void *memory; /* the caller frees it */
    struct tracepoint_raw *raw;
};
void made_record_feed(struct made_record *record, const struct made_tracepoint *made,
                      struct feed *feed);

/* Values at the limits of their types, or any. */
uint64_t feed_value(struct feed *feed);

/* Printable characters, at most `most`, then NULs up to size most + 1. */
void feed_text(struct feed *feed, char *text, size_t most);
