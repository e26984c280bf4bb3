/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the text by which a user names an event, from left to right, for the sources that parse it.
 * Every function that reads a part leaves the cursor after that part, and returns 0, or refuses and
 * names the wrong word. Task context.
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
    const struct host_program *program; /* the program that symbols belong to; NULL: the kernel */
};

/* Words joined by ", ", cut where the room ends. */
struct spelling_list {
    char text[160];
    size_t length;
};
void spelling_list_add(struct spelling_list *list, const char *word);

bool spelling_is_digit(char character);

/*
 * The length of the name or number at `text`; a name may be of C, of assembly, or a compiler's
 * ("copy.part.1").
 */
size_t spelling_word_length(const char *text);

/* `what` is missing here. */
int spelling_refuse_missing(const struct spelling *cursor, const char *what);

/* Refuses: there is no such event. */
int spelling_refuse_unknown(const char *spelling, struct refusal *why);

/* Hexadecimal after 0x, else decimal. `what` names it for a refusal. */
int spelling_number(struct spelling *cursor, const char *what, uint64_t *number);

/* True if the word here is made of `letters`, each at most once; their bits are summed. */
bool spelling_letters(struct spelling *cursor, const char *letters, const uint32_t *bits,
                      uint32_t *sum);

/*
 * :u and :k select user mode and the kernel: the one that is missing is excluded; without either,
 * both count. `else_is` tells what else would have been possible here.
 */
int spelling_modifiers(struct spelling *cursor, const char *else_is, struct perf_event_attr *attr);

/* Refuses if anything follows. */
int spelling_end(const struct spelling *cursor);

/*
 * Skips `prefix`; if it is the whole name of an event, only if the text ends there or a colon
 * follows.
 */
bool spelling_skip(struct spelling *cursor, const char *prefix);
bool spelling_skip_name(struct spelling *cursor, const char *name);
