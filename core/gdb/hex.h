/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and bytes as gdb's protocol encodes them: hexadecimal, in address order. Any context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The digit for a value from 0 to 15. */
char hex_digit(unsigned value);

/*
 * Reads a number and moves *at past it. Returns false, with *at undefined, if there is no digit or
 * the number has more than 64 bits.
 */
bool hex_number(const char **at, uint64_t *number);

/* Reads `count` bytes, two digits each, and moves *at past them; false: a digit is missing. */
bool hex_bytes(const char **at, uint8_t *bytes, size_t count);

/* If the string at *at begins with `word`, moves *at past it and returns true. */
bool text_skip(const char **at, const char *word);
