/* SPDX-License-Identifier: BSD-2-Clause */
/* See hex.h. */
#include "core/gdb/hex.h"

#include "core/lib/number.h"
#include "core/lib/string.h"

char hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15];
}

bool hex_number(const char **at, uint64_t *number)
{
    return number_read(at, 16, UINT64_MAX, number) == NUMBER_READ;
}

bool hex_bytes(const char **at, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, *at += 2) {
        int high = number_digit((*at)[0], 16), low = high < 0 ? -1 : number_digit((*at)[1], 16);

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
