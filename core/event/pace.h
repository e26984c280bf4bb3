/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace of an event that asked for so many samples a second (-F): from how fast its hits come it
 * tells after how many of them the next sample is due. Called by core/event/event.c in the context
 * of a hit and of a tick; arithmetic alone, one division a call.
 */
#pragma once

#include <stdint.h>

/* Samples a second that can be asked for; the throttle takes as many, unless told otherwise. */
#define PACE_HERTZ_MAX 1000000

/* Hits, and how long they took. */
struct pace_rate {
    uint64_t hits;
    uint64_t time; /* ns */
};

struct pace {
    uint64_t interval; /* ns from sample to sample; 0: no frequency was asked for */
    uint64_t period;   /* hits from the last sample to the next; 1 at first */
    uint64_t fraction; /* of a hit, left over from it */
    uint64_t last;     /* when the last sample was */
    /* Sums that fade: over many samples, which is what decides, and over few, which sets bounds. */
    struct pace_rate lately, recent;
};

/* `hertz` samples a second, 1 to PACE_HERTZ_MAX, from `now` on (ns). */
void pace_start(struct pace *pace, uint64_t hertz, uint64_t now);

/* A sample is taken: its period is over, the next one's is returned. */
uint64_t pace_sample(struct pace *pace, uint64_t now);

/*
 * The period, made shorter where `hits` since the last sample, fewer than it, have taken so long
 * that the next sample would come too late. More than `hits`.
 */
uint64_t pace_tick(struct pace *pace, uint64_t hits, uint64_t now);
