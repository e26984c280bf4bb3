/* SPDX-License-Identifier: BSD-2-Clause */
/* See hex.h. */
#include "core/gdb/hex.h"

#include "core/lib/number.h"
#include "core/lib/string.h"

int hex_value(char digit)
{
    return number_digit(digit, 16);
}

char hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15];
}

bool hex_number(const char **at, uint64_t *number)
{
    const char *end = *at;

    if (number_read(&end, 16, UINT64_MAX, number) != NUMBER_READ)
        return false;
    *at = end;
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
