/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See percent.h. perf computes in doubles, so an exact half of a hundredth may become slightly more
 * or less: 100.0 * 3 / 20000 is 0.01499... and prints as 0.01, not 0.02. This file rounds integers
 * at the same steps: convert, multiply, divide, print; each to nearest, ties to even.
 */
#include "core/report/percent.h"

#include "core/lib/assert.h"

#include <stdbool.h>

#define DOUBLE_BITS   53
#define QUOTIENT_BITS 55 /* DOUBLE_BITS, one bit to round by, and a leading 0 */
#define PRODUCT_SHIFT 42 /* reduces the 105 or 106 bits of a product to 63 or 64 */

/* mantissa * 2^exponent; the mantissa has exactly DOUBLE_BITS bits, or is 0. */
struct binary {
    uint64_t mantissa;
    int exponent;
};

/*
 * Returns value / 2^shift, rounded to nearest, ties to even. `more`: the exact value is slightly
 * larger.
 */
static uint64_t shift_to_nearest(uint64_t value, int shift, bool more)
{
    assert(shift > 0 && shift < 64); /* otherwise undefined in C */

    uint64_t kept = value >> shift;
    uint64_t lost = value & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    bool up = lost > half || (lost == half && (more || (kept & 1)));

    return kept + up;
}

/*
 * Rounds value * 2^exponent to a double. `more`: the exact value is slightly larger, and `value`
 * has more than DOUBLE_BITS bits.
 */
static struct binary to_binary(uint64_t value, int exponent, bool more)
{
    if (value == 0)
        return (struct binary){0, 0};
    int shift = 64 - __builtin_clzll(value) - DOUBLE_BITS;
    if (shift <= 0)
        return (struct binary){value << -shift, exponent + shift};
    uint64_t mantissa = shift_to_nearest(value, shift, more);
    if (mantissa >> DOUBLE_BITS) /* a mantissa of all ones was rounded up */
        return (struct binary){mantissa >> 1, exponent + shift + 1};
    return (struct binary){mantissa, exponent + shift};
}

static struct binary divide(struct binary part, struct binary whole)
{
    assert(whole.mantissa);

    uint64_t quotient = part.mantissa / whole.mantissa;
    uint64_t rest = part.mantissa % whole.mantissa;

    for (int bit = 0; bit < QUOTIENT_BITS; bit++) {
        rest <<= 1;
        bool fits = rest >= whole.mantissa;
        if (fits)
            rest -= whole.mantissa;
        quotient = quotient << 1 | fits;
    }
    return to_binary(quotient, part.exponent - whole.exponent - QUOTIENT_BITS, rest != 0);
}

static struct binary multiply(struct binary a, struct binary b)
{
    unsigned __int128 product = (unsigned __int128)a.mantissa * b.mantissa;
    uint64_t lost = (uint64_t)product & ((UINT64_C(1) << PRODUCT_SHIFT) - 1);

    return to_binary((uint64_t)(product >> PRODUCT_SHIFT), a.exponent + b.exponent + PRODUCT_SHIFT,
                     lost != 0);
}

/*
 * Returns value * factor, rounded to an integer; 0 if the exponent is less than -63. `value` is
 * less than 2^DOUBLE_BITS.
 */
static uint64_t times(struct binary value, unsigned factor)
{
    if (value.mantissa == 0 || value.exponent < -63)
        return 0;
    return shift_to_nearest(value.mantissa * factor, -value.exponent, false);
}

uint64_t percent_hundredths(uint64_t part, uint64_t whole)
{
    if (part == 0 || whole == 0)
        return 0;
    struct binary numerator = to_binary(part, 0, false);
    numerator = to_binary(numerator.mantissa * 100, numerator.exponent, false);
    return times(divide(numerator, to_binary(whole, 0, false)), 100);
}

uint64_t quotient_thousandths(uint64_t part, uint64_t whole)
{
    return times(divide(to_binary(part, 0, false), to_binary(whole, 0, false)), 1000);
}

uint64_t percent_least(uint64_t whole, uint32_t percent_units)
{
    if (whole == 0 || percent_units == 0)
        return 0;
    struct binary units = to_binary(PERCENT_UNITS, 0, false);
    struct binary percent = divide(to_binary(percent_units, 0, false), units);
    struct binary share = divide(percent, to_binary(100, 0, false));
    struct binary least = multiply(to_binary(whole, 0, false), share);

    if (least.exponent >= 0)
        return least.mantissa << least.exponent;
    return least.exponent > -64 ? least.mantissa >> -least.exponent : 0;
}
