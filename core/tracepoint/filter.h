/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which hits of a tracepoint count, as a person writes it:
 *
 *     order > 2 && (name == "pages" || name ~ "kern*") && !(common_pid == 1)
 *
 * A comparison is FIELD OPERATOR VALUE, or of two numbers FIELD OPERATOR FIELD. Fields are those of
 * core/tracepoint/field.h. Numbers are decimal (of fields with a sign, with a minus, too) or 0x...,
 * and know == != < <= > >= and & (any of these bits); texts stand between double quotes, and know
 * == != and ~ (a pattern, core/lib/glob.h).
 * && binds more tightly than ||, ! more than both.
 *
 * filter_compile, in task context, makes a program without jumps; filter_passes runs it in any
 * context, in at most FILTER_STEPS_MAX steps. It looks at the hit's arguments, as no record has
 * been made yet, and at those alone that it names.
 */
#pragma once

#include "core/tracepoint/field.h"

#define FILTER_STEPS_MAX 16
#define FILTER_DEPTH_MAX 8  /* of parentheses and !, and of results waiting for an && or || */
#define FILTER_TEXT_MAX  24 /* characters of a text, with its end */

enum filter_operation {
    FILTER_EQUAL,
    FILTER_NOT_EQUAL,
    FILTER_LESS,
    FILTER_LESS_EQUAL,
    FILTER_GREATER,
    FILTER_GREATER_EQUAL,
    FILTER_BITS,
    FILTER_GLOB,
    FILTER_AND, /* of the two last results; these three compare nothing */
    FILTER_OR,
    FILTER_NOT, /* of the last */
};

struct filter_step {
    uint8_t operation; /* enum filter_operation */
    bool with_field;   /* compares with `other`, not with a value */
    struct field_place field;
    union {
        struct field_place other;
        uint64_t number;
        char text[FILTER_TEXT_MAX];
    };
};

/* No steps: everything passes. */
struct filter {
    uint8_t count;
    struct filter_step step[FILTER_STEPS_MAX];
};

/* 0, or -EINVAL and what is wrong in `text`, with the fields that there are. */
int filter_compile(struct filter *filter, const char *text, const struct tracepoint *tracepoint,
                   struct refusal *why);

bool filter_passes(const struct filter *filter, struct trace_hit *hit);
