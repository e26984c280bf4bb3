/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as people and protocols write them: digits in base 10 or 16, of either case, without a
 * sign. What a reader makes of the rest of a word, and what it says of a wrong one, is its own.
 * Pure; any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum number {
    NUMBER_NONE, /* there is no digit */
    NUMBER_READ,
    NUMBER_LARGE, /* it is more than the reader can use */
};

/* The value of a digit in this base; -1 for what is none. */
int number_digit(char character, unsigned base);

/* 16 if *at begins with 0x, and *at then moves past it; else 10. */
unsigned number_base(const char **at);

/*
 * Reads the digits from *at on, a number of at most `most`. *at is left at the first character that
 * is no part of it: with NUMBER_LARGE, the digit that is too much. *number is written with
 * NUMBER_READ alone.
 */
enum number number_read(const char **at, unsigned base, uint64_t most, uint64_t *number);

/* True if the whole word is a decimal number of at most `most`; else *number stays. */
bool number_word(const char *word, uint64_t most, uint64_t *number);
