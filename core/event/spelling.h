/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the spelling of an event from left to right, for the event sources. A function that reads
 * a part advances the cursor past that part and returns 0, or rejects the spelling with an error
 * that quotes the offending word. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

struct perf_event_attr;
struct host_program;

struct spelling {
    const char *at;
    struct refusal *why;
    const struct host_program *program; /* where symbols are looked up; NULL: the kernel */
};

/* Words joined by ", ", truncated to the buffer. */
struct spelling_list {
    char text[160];
    size_t length;
};
void spelling_list_add(struct spelling_list *list, const char *word);

bool spelling_is_digit(char character);

/*
 * Returns the length of the name or number at `text`. A name may be from C, assembly or a compiler
 * ("copy.part.1").
 */
size_t spelling_word_length(const char *text);

/* Rejects the spelling: `what` is missing here. */
int spelling_refuse_missing(const struct spelling *cursor, const char *what);

/* Rejects the spelling: there is no such event. */
int spelling_refuse_unknown(const char *spelling, struct refusal *why);

/* Reads a number: hexadecimal after 0x, otherwise decimal. `what` describes it in an error. */
int spelling_number(struct spelling *cursor, const char *what, uint64_t *number);

/* Returns true if the word here consists of `letters`, each at most once; sums their bits. */
bool spelling_letters(struct spelling *cursor, const char *letters, const uint32_t *bits,
                      uint32_t *sum);

/*
 * Reads :u, :k or :uk, which select user mode, the kernel or both; without a modifier both count.
 * `else_is` describes an invalid modifier in the error message.
 */
int spelling_modifiers(struct spelling *cursor, const char *else_is, struct perf_event_attr *attr);

/* Rejects trailing text. */
int spelling_end(const struct spelling *cursor);

/*
 * Skip `prefix` if the text begins with it. spelling_skip_name also requires that the text ends
 * there or a colon follows.
 */
bool spelling_skip(struct spelling *cursor, const char *prefix);
bool spelling_skip_name(struct spelling *cursor, const char *name);
