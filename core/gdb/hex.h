/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers and bytes as gdb's protocol spells them: hexadecimal digits; bytes of registers and
 * memory in the order of their addresses. No side effects; any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a digit, of either case; -1 if it is not a digit. */
int hex_value(char digit);

/* The digit of 0 to 15. */
char hex_digit(unsigned value);

/*
 * Reads a number at *at, and moves *at behind its last digit. False: there is no digit, or the
 * number does not fit into 64 bits.
 */
bool hex_number(const char **at, uint64_t *number);

/* Reads exactly `count` bytes, two digits each, and leaves *at after them. */
bool hex_bytes(const char **at, uint8_t *bytes, size_t count);

/* If the text at *at begins with `word`, moves *at past it and returns true. */
bool text_skip(const char **at, const char *word);
