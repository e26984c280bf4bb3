/* SPDX-License-Identifier: BSD-2-Clause */
/* See deviation.h. */
#include "core/lib/deviation.h"

#include "core/lib/assert.h"

#define DISTANCE_MAX (1ll << 53)
#define ROOT_BITS    48 /* bits of the root; 10000 times the root fits in 64 bits */

void deviation_add(struct deviation *deviation, uint64_t value)
{
    uint64_t first = deviation->count ? deviation->first : value;
    uint64_t apart = value > first ? value - first : first - value;
    int64_t distance = apart < (uint64_t)DISTANCE_MAX ? (int64_t)apart : DISTANCE_MAX;

    assert(deviation->count < DEVIATION_RUNS_MAX);
    deviation->first = first;
    deviation->count++;
    deviation->sum += value;
    deviation->distances += value > first ? distance : -distance;
    deviation->squares += (unsigned __int128)distance * (unsigned __int128)distance;
}

uint64_t deviation_mean(const struct deviation *deviation)
{
    return deviation->count ? (deviation->sum + deviation->count / 2) / deviation->count : 0;
}

/* Divides in digits of 32 bits, because 128-bit division would call the compiler's library. */
static unsigned __int128 divide(unsigned __int128 number, uint32_t by)
{
    unsigned __int128 quotient = 0;
    uint64_t left = 0;

    for (int digit = 3; digit >= 0; digit--) {
        left = left << 32 | (uint32_t)(number >> (32 * digit));
        quotient = quotient << 32 | left / by;
        left %= by;
    }
    return quotient;
}

/* Returns the square root, rounded down. */
static uint64_t root(unsigned __int128 number)
{
    uint64_t found = 0;

    for (int bit = 63; bit >= 0; bit--) {
        unsigned __int128 next = found | 1ull << bit;

        if (next * next <= number)
            found = (uint64_t)next;
    }
    return found;
}

/*
 * Returns n * (sum of squares) - (sum)^2 of the distances. The square root of spread / (n - 1) is
 * n times the deviation of the mean.
 */
static unsigned __int128 spread(const struct deviation *deviation)
{
    __int128 distances = deviation->distances;

    return deviation->count * deviation->squares - (unsigned __int128)(distances * distances);
}

uint64_t deviation_of_mean(const struct deviation *deviation)
{
    if (deviation->count < 2)
        return 0;
    return root(divide(spread(deviation), (uint32_t)(deviation->count - 1))) / deviation->count;
}

/* Shifts the radicand by pairs of bits, to keep the root precise, and the sum by half as many. */
uint64_t deviation_percent(const struct deviation *deviation)
{
    unsigned __int128 number = spread(deviation);
    uint64_t shares, sum = deviation->sum;
    int moved = 0;

    if (number == 0 || sum == 0)
        return 0;
    for (; number >> (2 * ROOT_BITS); number >>= 2)
        moved--;
    for (; !(number >> (2 * ROOT_BITS - 2)); number <<= 2)
        moved++;
    shares = root(divide(number, (uint32_t)(deviation->count - 1))) * 10000;
    if (moved >= 0 && sum > (UINT64_MAX >> 1) >> moved)
        return 0; /* less than half a share, because `shares` is below 2^62 */
    sum = moved >= 0 ? sum << moved : sum >> -moved;
    return sum ? (shares + sum / 2) / sum : UINT64_MAX;
}
