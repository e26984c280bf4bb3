/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The period of an event with a frequency (-F, samples per second), from the rate of its hits.
 * Called by core/event/event.c in a hit or a tick; pure arithmetic, one division per call.
 */
#pragma once

#include <stdint.h>

#define PACE_HERTZ_MAX 1000000 /* the highest -F; also the throttle's default limit */

struct pace_rate {
    uint64_t hits;
    uint64_t time; /* ns, over which the hits came */
};

struct pace {
    uint64_t interval;       /* ns between samples; 0: no frequency was requested */
    uint64_t period;         /* hits from the last sample to the next; initially 1 */
    uint64_t fraction;       /* of a hit, carried over from the last period */
    uint64_t last;           /* time of the last sample */
    struct pace_rate lately; /* decaying sums over many samples, which set the period */
    struct pace_rate recent; /* ... over few samples, which bound it */
};

/* Starts at `now` (ns) with `hertz` samples per second, 1 to PACE_HERTZ_MAX. */
void pace_start(struct pace *pace, uint64_t hertz, uint64_t now);

/* Called for each sample. Returns the next period. */
uint64_t pace_sample(struct pace *pace, uint64_t now);

/*
 * Called on each tick. `hits`: hits since the last sample, fewer than the period. Returns the
 * period, shortened if the next sample would come too late, but always more than `hits`.
 */
uint64_t pace_tick(struct pace *pace, uint64_t hits, uint64_t now);
