/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs say, and the numbers that they are given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Puts a line together, as much of it as has room; line_end writes it to descriptor 1. */
struct line {
    char text[200];
    size_t length;
};

void line_add(struct line *line, const char *text);
void line_add_number(struct line *line, long number);
void line_add_hex(struct line *line, unsigned long number);
void line_end(struct line *line);

/* One line that is a text. */
void say(const char *text);

bool text_equal(const char *left, const char *right);

/* Decimal, or hexadecimal after 0x; -1 for anything else. */
long text_number(const char *text);
