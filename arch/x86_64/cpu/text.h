/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of text in a buffer of the caller, for reports from arch/, which does not know the print
 * functions of core. Any context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct text {
    char *at;
    size_t room; /* the NUL's place included */
};

/* Begins an empty text in `buffer`; what does not fit is cut off. */
struct text text_in(char *buffer, size_t size);
void text_add(struct text *text, const char *words);
void text_add_padded(struct text *text, const char *words, size_t width);
void text_add_hex(struct text *text, uint64_t value, unsigned digits); /* at least so many digits */
