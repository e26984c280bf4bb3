/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters for the hits of a tracepoint, as a user writes them:
 *
 *     order > 2 && (name == "pages" || name ~ "kern*") && !(common_pid == 1)
 *
 * A comparison is FIELD OPERATOR VALUE or, for two numbers, FIELD OPERATOR FIELD. Fields are those
 * of core/tracepoint/field.h. Numbers are decimal (with a minus for fields with a sign) or 0x...;
 * their operators are == != < <= > >= and & (any of these bits). Strings are in double quotes;
 * their operators are == != and ~ (a pattern, core/lib/glob.h). && binds more tightly than ||, !
 * more tightly than both.
 *
 * filter_add, in task context, compiles a program without jumps; filter_passes runs it in any
 * context, in at most FILTER_STEPS_MAX steps. It reads only the arguments that the filter names.
 */
#pragma once

#include "core/tracepoint/field.h"

#define FILTER_STEPS_MAX 16
#define FILTER_DEPTH_MAX 8  /* nesting of parentheses and !, and results on the stack */
#define FILTER_TEXT_MAX  24 /* size of a string, including its NUL */

enum filter_operation {
    FILTER_EQUAL,
    FILTER_NOT_EQUAL,
    FILTER_LESS,
    FILTER_LESS_EQUAL,
    FILTER_GREATER,
    FILTER_GREATER_EQUAL,
    FILTER_BITS,
    FILTER_GLOB,
    FILTER_AND, /* combines the last two results; AND, OR and NOT compare nothing */
    FILTER_OR,
    FILTER_NOT, /* inverts the last result */
};

struct filter_step {
    uint8_t operation; /* enum filter_operation */
    bool with_field;   /* compares with `other`, not with a constant */
    struct field_place field;
    union {
        struct field_place other;
        uint64_t number;
        char text[FILTER_TEXT_MAX];
    };
};

/* Without steps, every hit passes. */
struct filter {
    uint8_t count;
    struct filter_step step[FILTER_STEPS_MAX];
};

/*
 * Adds a condition to those that a hit must meet. Returns 0, or -EINVAL and what is wrong in
 * `text`; the filter is then unchanged. For an unknown field the reason names the fields that
 * exist.
 */
int filter_add(struct filter *filter, const char *text, const struct pitot_tracepoint *tracepoint,
               struct refusal *why);

bool filter_passes(const struct filter *filter, struct trace_hit *hit);
