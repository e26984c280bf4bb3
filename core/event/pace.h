/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace of an event with a frequency (-F, samples per second): computes from the rate of its
 * hits how many of them to pass before the next sample. Called by core/event/event.c in the context
 * of a hit or a tick; pure arithmetic, one division per call.
 */
#pragma once

#include <stdint.h>

/* Highest frequency a user can request; also the throttle's default limit. */
#define PACE_HERTZ_MAX 1000000

/* A number of hits, and the time they took. */
struct pace_rate {
    uint64_t hits;
    uint64_t time; /* ns */
};

struct pace {
    uint64_t interval; /* ns between samples; 0: no frequency was requested */
    uint64_t period;   /* hits between the last sample and the next; initially 1 */
    uint64_t fraction; /* fraction of a hit carried over from the last period */
    uint64_t last;     /* time of the last sample */
    /*
     * Decaying sums: `lately` covers many samples and sets the period, `recent` covers few and
     * bounds the period.
     */
    struct pace_rate lately, recent;
};

/* Starts at `now` (ns) with `hertz` samples per second, 1 to PACE_HERTZ_MAX. */
void pace_start(struct pace *pace, uint64_t hertz, uint64_t now);

/* Called for each sample, which ends the current period. Returns the next period. */
uint64_t pace_sample(struct pace *pace, uint64_t now);

/*
 * Returns the period, shortened if the next sample would otherwise come too late. `hits` is the
 * number of hits since the last sample, less than the period. The result is greater than `hits`.
 */
uint64_t pace_tick(struct pace *pace, uint64_t hits, uint64_t now);
