/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses unsigned decimal or hexadecimal numbers; callers check what follows. Pure; any context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum number {
    NUMBER_NONE, /* no digit */
    NUMBER_READ,
    NUMBER_LARGE, /* larger than the caller's limit */
};

/* Returns the value of a digit in `base`; -1 for any other character. */
int number_digit(char character, unsigned base);

/* Returns 16 and skips the prefix if *at begins with 0x; otherwise returns 10. */
unsigned number_base(const char **at);

/*
 * Reads a number of at most `most`. Advances *at past it or, with NUMBER_LARGE, to the digit that
 * makes it too large. Sets *number only with NUMBER_READ.
 */
enum number number_read(const char **at, unsigned base, uint64_t most, uint64_t *number);

/*
 * True if all of `text` is a decimal number from 1 on, with or without a unit k, m, g or K, M, G,
 * and at most `most` with it; otherwise *size is unchanged. *unit: there is one.
 */
bool number_parse_size(const char *text, uint64_t most, uint64_t *size, bool *unit);

/* True if all of `text` is a decimal number of at most `most`; otherwise *number is unchanged. */
bool number_parse(const char *text, uint64_t most, uint64_t *number);
