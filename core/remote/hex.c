/* SPDX-License-Identifier: BSD-2-Clause */
/* See hex.h. */
#include "core/remote/hex.h"

#include "core/lib/string.h"

int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

char hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15];
}

bool hex_number(const char **at, uint64_t *number)
{
    const char *digit = *at;

    *number = 0;
    for (; hex_value(*digit) >= 0; digit++) {
        if (*number >> 60)
            return false;
        *number = *number << 4 | (unsigned)hex_value(*digit);
    }
    if (digit == *at)
        return false;
    *at = digit;
    return true;
}

bool hex_bytes(const char **at, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, *at += 2) {
        int high = hex_value((*at)[0]), low = high < 0 ? -1 : hex_value((*at)[1]);

        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool text_skip(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}
