/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace of an event that asked for so many samples a second (-F): from how fast its hits come,
 * it computes after how many of them the next sample is due. Called by core/event/event.c in the
 * context of a hit and of a tick; only arithmetic, one division a call.
 */
#pragma once

#include <stdint.h>

/*
 * The most samples a second that a user can ask for; by default the throttle's limit is the same.
 */
#define PACE_HERTZ_MAX 1000000

/* Hits, and how long they took. */
struct pace_rate {
    uint64_t hits;
    uint64_t time; /* ns */
};

struct pace {
    uint64_t interval; /* ns from sample to sample; 0: no frequency was asked for */
    uint64_t period;   /* hits from the last sample to the next; 1 at first */
    uint64_t fraction; /* fraction of a hit that the last period left over */
    uint64_t last;     /* when the last sample was */
    /* Sums that fade: over many samples, which decide the period, and over few, which bound it. */
    struct pace_rate lately, recent;
};

/* `hertz` samples a second, 1 to PACE_HERTZ_MAX, from `now` on (ns). */
void pace_start(struct pace *pace, uint64_t hertz, uint64_t now);

/* A sample is taken, so its period is over. Returns the next period. */
uint64_t pace_sample(struct pace *pace, uint64_t now);

/*
 * Returns the period, which is made shorter if the `hits` since the last sample (fewer than the
 * period) took so long that the next sample would come too late. The result is greater than `hits`.
 */
uint64_t pace_tick(struct pace *pace, uint64_t hits, uint64_t now);
