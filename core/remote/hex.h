/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers and bytes as gdb's protocol spells them: hexadecimal digits; bytes of registers and
 * memory in the order in which they lie. Pure; any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a digit, of either case; -1 for what is none. */
int hex_value(char digit);

/* The digit of 0 to 15. */
char hex_digit(unsigned value);

/*
 * Reads a number from *at on, which is left behind its last digit. False: there is no digit, or
 * there are more than fit into 64 bits.
 */
bool hex_number(const char **at, uint64_t *number);

/* Reads exactly `count` bytes, two digits each, and leaves *at after them. */
bool hex_bytes(const char **at, uint8_t *bytes, size_t count);

/* True, and *at is moved past it, if `word` stands there. */
bool text_skip(const char **at, const char *word);
