/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of programs, and parsing of their numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A string, truncated to the size of `text`; line_end writes it to descriptor 1 as a line. */
struct line {
    char text[200];
    size_t length;
};

void line_add(struct line *line, const char *text);
void line_add_number(struct line *line, long number);
void line_add_hex(struct line *line, unsigned long number);
void line_end(struct line *line);

/* Each writes a line to descriptor 1. */
void say(const char *text);
void say_number(const char *before, long number, const char *after);

bool text_equal(const char *left, const char *right);

/* Parses a decimal number, or a hexadecimal one after 0x. Returns -1 for anything else. */
long text_number(const char *text);
