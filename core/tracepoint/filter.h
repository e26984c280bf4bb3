/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which hits of a tracepoint count, as a person writes it:
 *
 *     order > 2 && (name == "pages" || name ~ "kern*") && !(common_pid == 1)
 *
 * A comparison is FIELD OPERATOR VALUE, or of two numbers FIELD OPERATOR FIELD. Fields are the
 * tracepoint's own, the common ones (common_type, common_flags, common_preempt_count, common_pid,
 * common_tgid), and comm, the name of the task. Numbers are decimal (with a minus, too) or 0x...,
 * and know == != < <= > >= and & (any of these bits); texts stand between double quotes, and know
 * == != and ~ (a pattern, core/lib/glob.h).
 * && binds more tightly than ||, ! more than both.
 *
 * filter_compile, in task context, makes a program without jumps; filter_passes runs it in any
 * context, in at most FILTER_STEPS_MAX steps. It looks at the hit's arguments, as no record has
 * been made yet, and at those alone that it names.
 */
#pragma once

#include "core/tracepoint/tracepoint.h"

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

/* A field, for a hit to find it: an argument, or a part of what the record would begin with. */
enum filter_source { FILTER_ARGUMENT, FILTER_HEAD, FILTER_COMM };

struct filter_field {
    uint8_t source; /* enum filter_source */
    bool late;      /* an argument that has to be found first */
    uint8_t place;  /* which argument, or the offset in struct tracepoint_head */
    uint8_t kind;   /* enum tracepoint_kind */
    uint8_t size;   /* of a number, in bytes */
};

struct filter_step {
    uint8_t operation; /* enum filter_operation */
    bool with_field;   /* compares with `other`, not with a value */
    struct filter_field field;
    union {
        struct filter_field other;
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
