/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as users and protocols write them: digits in base 10 or 16, of either case, without a
 * sign. Each caller decides what may follow a number, and how it refuses a wrong one. No side
 * effects; any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum number {
    NUMBER_NONE, /* there is no digit */
    NUMBER_READ,
    NUMBER_LARGE, /* the number is larger than the caller can use */
};

/* The value of a digit in this base; -1 if it is not a digit. */
int number_digit(char character, unsigned base);

/* 16 if *at begins with 0x, and *at then moves past it; else 10. */
unsigned number_base(const char **at);

/*
 * Reads the digits at *at, a number of at most `most`. *at is left at the first character that is
 * not part of it; with NUMBER_LARGE, at the digit that makes it too large. *number is written only
 * with NUMBER_READ.
 */
enum number number_read(const char **at, unsigned base, uint64_t most, uint64_t *number);

/* True if the whole word is a decimal number of at most `most`; else *number is not changed. */
bool number_word(const char *word, uint64_t most, uint64_t *number);
