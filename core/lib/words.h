/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of words for a message, "a, b, c", in a buffer. If not all fit, it ends in ", ...", never
 * inside a word. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct words {
    char *text; /* terminated; at least WORDS_LEAST bytes */
    size_t size, length;
    bool cut; /* a word did not fit; later ones are left out, too */
};

#define WORDS_LEAST 4 /* the size that holds "..." */

/* Empties the buffer; its list begins. */
struct words words_begin(char *text, size_t size);

__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);

/* Adds the word unless the list has it already. */
void words_add_once(struct words *words, const char *word);
