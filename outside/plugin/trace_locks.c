/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace.h: locks. */
#include "outside/plugin/trace.h"

#include "outside/plugin/clock.h"
#include "outside/plugin/events.h"
#include "outside/plugin/held.h"
#include "outside/plugin/numbered.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/track.h"

struct hold {
    const struct lock *lock; /* NULL: is not held */
    uint64_t since;
    uint64_t given; /* back, the last time */
    uint32_t thread;
    bool before; /* it was taken before `since` */
    struct wire_place place;
};
static struct numbered holds; /* struct hold, [number of the lock] */

static uint64_t least;  /* time of what is sent */
static uint64_t cut_at; /* the last time */
static bool open;       /* the window, since then */

void trace_locks_begin(const struct request *request)
{
    least = request->trace.least_lock;
    open = window_open();
}

/* NULL: no memory. */
static struct hold *hold_of(const struct lock *lock)
{
    return numbered_at(&holds, lock->number, sizeof(struct hold));
}

static void send(struct wire_lock_slice *slice)
{
    if (!open || slice->ended - slice->began < least)
        return;
    tell_lock_slice(slice);
    track_count_sent(slice->ended);
}

static void send_hold(const struct hold *hold, uint64_t now, uint32_t flags)
{
    struct wire_lock_slice slice = {.thread = hold->thread,
                                    .flags = WIRE_SLICE_HOLDS | flags |
                                             (hold->before ? WIRE_SLICE_BEFORE : 0),
                                    .address = hold->lock->address,
                                    .began = hold->since,
                                    .ended = now,
                                    .place = hold->place};

    send(&slice);
}

/* It ends within the call that has waited, and around what that has called. */
static void send_wait(const struct lock *lock, const struct trace_asking *asking, uint64_t now,
                      uint32_t flags)
{
    const struct track *track = asking->thread ? track_of(asking->thread) : NULL;
    struct wire_lock_slice slice = {.thread = asking->thread,
                                    .flags = flags,
                                    .address = lock->address,
                                    .began = asking->at,
                                    .ended = now,
                                    .place = asking->place};

    if (!track)
        return;
    if (slice.began < cut_at) {
        slice.began = cut_at;
        if (track->depth > 1 && track_innermost(track)->began > cut_at)
            slice.began = track_innermost(track)->began;
        slice.flags |= WIRE_SLICE_BEFORE;
    }
    if (track->cpu == TRACK_NO_CPU)
        slice.ended = track->left;
    else if (track->since <= slice.began)
        slice.flags |= WIRE_SLICE_STAYED;
    if (slice.ended < slice.began)
        return;
    slice.depth = track->depth;
    slice.place.cpu = track->cpu == TRACK_NO_CPU ? 0 : track->cpu;
    send(&slice);
}

/* Time has no events after that at which --max was reached. */
static void end_if_full(uint64_t now)
{
    if (track_full_at() == now)
        trace_cut();
}

void trace_locks_takes(const struct lock *lock, const struct trace_asking *asking)
{
    struct hold *hold = hold_of(lock);
    uint64_t now = clock_sum();

    if (!hold || lock->depth != 1)
        return;
    if (hold->lock) /* was given back unseen */
        send_hold(hold, now, WIRE_SLICE_CUT);
    if (asking->contended || hold->given > asking->at)
        send_wait(lock, asking, now, 0);
    hold->lock = lock;
    hold->since = now;
    hold->thread = lock->thread;
    hold->before = false;
    hold->place = asking->place;
    end_if_full(now);
}

void trace_locks_gives(const struct lock *lock)
{
    struct hold *hold = lock->depth > 1 ? NULL : hold_of(lock);
    uint64_t now = clock_sum();

    if (!hold)
        return;
    if (hold->lock)
        send_hold(hold, now, lock->depth == 1 ? 0 : WIRE_SLICE_CUT);
    hold->lock = NULL;
    hold->given = now;
    end_if_full(now);
}

void trace_locks_waits(const struct lock *lock, const struct trace_asking *asking)
{
    send_wait(lock, asking, clock_sum(), WIRE_SLICE_CUT);
}

void trace_locks_cut(void)
{
    uint64_t now = clock_sum();

    for (uint32_t i = 0; i < holds.room; i++) {
        struct hold *hold = (struct hold *)holds.entries + i;

        if (!hold->lock)
            continue;
        send_hold(hold, now, WIRE_SLICE_CUT);
        hold->since = now;
        hold->before = true;
        if (hold->lock->depth == 0) /* the machine was reset */
            hold->lock = NULL;
    }
    cut_at = now;
    open = window_open();
}
