/* SPDX-License-Identifier: BSD-2-Clause */
/* See distance.h. */
#include "core/symbols/distance.h"

#include "core/lib/assert.h"
#include "core/lib/string.h"

size_t distance_length(const char *name)
{
    size_t length = strlen(name);

    return length < DISTANCE_LENGTH_MAX ? length : DISTANCE_LENGTH_MAX;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* Row r: the distances from the first r characters of a to each prefix of b. Keeps three rows. */
uint8_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint8_t rows[3][DISTANCE_LENGTH_MAX + 1];
    uint8_t *before = rows[0], *previous = rows[1], *current = rows[2];

    assert(a_length <= DISTANCE_LENGTH_MAX && b_length <= DISTANCE_LENGTH_MAX);
    for (size_t column = 0; column <= b_length; column++)
        current[column] = (uint8_t)column;
    for (size_t row = 1; row <= a_length; row++) {
        uint8_t *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
        current[0] = (uint8_t)row;
        for (size_t column = 1; column <= b_length; column++) {
            uint8_t replaced = previous[column - 1] + (a[row - 1] != b[column - 1]);
            uint8_t edited = least(previous[column], current[column - 1]) + 1;
            current[column] = least(replaced, edited);
            if (row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1])
                current[column] = least(current[column], before[column - 2] + 1);
        }
    }
    return current[b_length];
}
