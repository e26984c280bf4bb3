/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace of event.h. The period is the hit rate times the requested interval. The rate is a ratio
 * of sums over several time slices, not a mean of ratios, so that bursts have their weight. The
 * last few samples bound the period from below and each tick bounds it from above, so a hundredfold
 * change of rate causes neither a flood nor a gap. Each sample carries its period: a wrong estimate
 * changes the number of samples, not what they add up to.
 */
#include "core/event/event.h"

#include "core/lib/assert.h"

#define SECOND_NS        1000000000ull
#define WINDOW_INTERVALS 8
#define WINDOW_LEAST     (1ull << 25) /* ns: more than three scheduler time slices */

/*
 * Samples come at most BOUND times as fast as requested. After BOUND intervals without a sample,
 * the next hit is sampled.
 */
#define BOUND 8

/* A period is at most GROWTH times the previous one, since a few hits are weak evidence. */
#define GROWTH 8

/* `recent` decays by a quarter on each sample. */
#define FADE_SHIFT 2

/* A period's fraction is carried over to the next: 2.5 hits become 2 and 3 alternately. */
#define FRACTION_BITS 4

/* Bits of a scaled sum: its product with an interval of up to 2^30 leaves room for the fraction. */
#define NUMBER_BITS 30

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Halves both until they fit NUMBER_BITS. The time, a divisor, never becomes 0. */
static struct pace_rate pace_scaled(struct pace_rate rate)
{
    while (rate.hits >> NUMBER_BITS || rate.time >> NUMBER_BITS) {
        rate.hits >>= 1;
        rate.time >>= 1;
    }
    if (rate.time == 0)
        rate.time = 1;
    return rate;
}

/* Returns the hits per interval, in fixed point (FRACTION_BITS). */
static uint64_t pace_period(uint64_t interval, struct pace_rate lately, struct pace_rate recent)
{
    struct pace_rate rate;

    recent.time *= BOUND;
    rate = lately = pace_scaled(lately);
    recent = pace_scaled(recent);
    if (recent.hits * lately.time > lately.hits * recent.time)
        rate = recent;
    return (rate.hits * interval << FRACTION_BITS) / rate.time;
}

void pace_start(struct pace *pace, uint64_t hertz, uint64_t now)
{
    assert(hertz > 0 && hertz <= PACE_HERTZ_MAX); /* a divisor, and the interval must not be 0 */
    *pace = (struct pace){.interval = SECOND_NS / hertz, .period = 1, .last = now};
}

/* A long gap counts as BOUND intervals in `recent`, so that it cannot mask the next hits. */
uint64_t pace_sample(struct pace *pace, uint64_t now)
{
    uint64_t passed = now - pace->last, most = pace->period * GROWTH;
    uint64_t intervals = WINDOW_INTERVALS * pace->interval, period;
    uint64_t window = intervals > WINDOW_LEAST ? intervals : WINDOW_LEAST;

    pace->last = now;
    pace->recent.hits += pace->period - (pace->recent.hits >> FADE_SHIFT);
    pace->recent.time += lesser(passed, BOUND * pace->interval) - (pace->recent.time >> FADE_SHIFT);
    pace->lately.hits += pace->period;
    pace->lately.time += passed;
    if (pace->lately.time > window) {
        pace->lately.hits >>= 1;
        pace->lately.time >>= 1;
    }
    period = pace_period(pace->interval, pace->lately, pace->recent) + pace->fraction;
    pace->fraction = period & ((1u << FRACTION_BITS) - 1);
    period = lesser(period >> FRACTION_BITS, most);
    pace->period = period ? period : 1;
    return pace->period;
}

uint64_t pace_tick(struct pace *pace, uint64_t hits, uint64_t now)
{
    uint64_t passed = now - pace->last;
    struct pace_rate lately = pace->lately, recent = pace->recent;
    uint64_t period;

    lately.hits += hits;
    lately.time += passed;
    recent.hits += hits;
    recent.time += passed;
    period = pace_period(pace->interval, lately, recent) >> FRACTION_BITS;
    if (period <= hits || passed > BOUND * pace->interval)
        period = hits + 1;
    pace->period = lesser(period, pace->period);
    return pace->period;
}
