/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses an event's spelling from left to right, for the event sources. A function that reads a
 * part advances the cursor past it and returns 0, or an error that quotes the wrong word. Task
 * context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

struct perf_event_attr;
struct pitot_program;

struct spelling {
    const char *at;
    struct refusal *why;
    const struct pitot_program *program; /* where symbols are looked up; NULL: the kernel */
};

#define SPELLING_LIST 200 /* bytes for the names in a refusal */

bool spelling_is_digit(char character);

/* Returns the length of a number, or of a name from C, assembly or a compiler ("copy.part.1"). */
size_t spelling_word_length(const char *text);

/* Lists what each source takes, for refusals. */
const char *spelling_possible(void);

int spelling_refuse_missing(const struct spelling *cursor, const char *what);

/*
 * Returns true if the word here consists of `letters`, each at most once; stores the sum of their
 * `bits` in *sum.
 */
bool spelling_letters(struct spelling *cursor, const char *letters, const uint32_t *bits,
                      uint32_t *sum);

/*
 * Reads :u, :k or :uk, which select user mode, the kernel or both; both is the default. The
 * spelling must end after them. `else_is`: what an error calls any other text.
 */
int spelling_modifiers(struct spelling *cursor, const char *else_is, struct perf_event_attr *attr);

int spelling_end(const struct spelling *cursor);

/* Skip a prefix and return true if it is there. A name must be followed by a colon or the end. */
bool spelling_skip(struct spelling *cursor, const char *prefix);
bool spelling_skip_name(struct spelling *cursor, const char *name);
