/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds lines of text in a caller's buffer, for reports from arch/, which may not use the print
 * functions of core. Any context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct text {
    char *at;
    size_t room; /* including the NUL */
};

/* Starts an empty string in `buffer`; output that does not fit is truncated. */
struct text text_in(char *buffer, size_t size);
void text_add(struct text *text, const char *words);
void text_add_padded(struct text *text, const char *words, size_t width);
void text_add_hex(struct text *text, uint64_t value, unsigned digits); /* zero-padded */
