/* SPDX-License-Identifier: BSD-2-Clause */
/* See number.h. */
#include "core/lib/number.h"

int number_digit(char character, unsigned base)
{
    int value = -1;

    if (character >= '0' && character <= '9')
        value = character - '0';
    else if (character >= 'a' && character <= 'f')
        value = character - 'a' + 10;
    else if (character >= 'A' && character <= 'F')
        value = character - 'A' + 10;
    return value < (int)base ? value : -1;
}

unsigned number_base(const char **at)
{
    if ((*at)[0] != '0' || ((*at)[1] != 'x' && (*at)[1] != 'X'))
        return 10;
    *at += 2;
    return 16;
}

enum number number_read(const char **at, unsigned base, uint64_t most, uint64_t *number)
{
    const char *first = *at;
    uint64_t value = 0;
    int digit;

    for (; (digit = number_digit(**at, base)) >= 0; ++*at) {
        if ((unsigned)digit > most || value > (most - (unsigned)digit) / base)
            return NUMBER_LARGE;
        value = value * base + (unsigned)digit;
    }
    if (*at == first)
        return NUMBER_NONE;
    *number = value;
    return NUMBER_READ;
}

bool number_parse(const char *text, uint64_t most, uint64_t *number)
{
    uint64_t value;

    if (number_read(&text, 10, most, &value) != NUMBER_READ || *text != '\0')
        return false;
    *number = value;
    return true;
}

bool number_parse_size(const char *text, uint64_t most, uint64_t *size, bool *unit)
{
    static const char units[] = "kKmMgG";
    unsigned i = 0, shift;
    uint64_t value;

    if (number_read(&text, 10, most, &value) != NUMBER_READ || value == 0)
        return false;
    while (units[i] && *text != units[i])
        i++;
    *unit = *text && units[i];
    shift = *unit ? 10 * (i / 2 + 1) : 0;
    if (text[*unit] != '\0' || value > most >> shift)
        return false;
    *size = value << shift;
    return true;
}
