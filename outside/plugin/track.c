/* SPDX-License-Identifier: BSD-2-Clause */
/* See track.h. */
#include "outside/plugin/track.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/events.h"
#include "outside/plugin/named.h"
#include "outside/plugin/numbered.h"
#include "outside/plugin/tell.h"

#define OPEN_LESS   16
#define FILTER_BITS 16
#define NEVER       UINT64_MAX

/* --- Which calls are wanted --- */

static uint64_t least, slide;
static uint32_t depth_most;
static const uint64_t *functions; /* sorted; those wanted, by their addresses in the file */
static size_t function_count;
static uint8_t filter[1u << (FILTER_BITS - 3)]; /* a bit for each function's hash */

static uint32_t hash_of(uint64_t function)
{
    return (uint32_t)((function * 0x9e3779b97f4a7c15u) >> (64 - FILTER_BITS));
}

static void fill_filter(void)
{
    memset(filter, 0, sizeof(filter));
    for (size_t i = 0; i < function_count; i++) {
        uint32_t hash = hash_of(functions[i] + slide);

        filter[hash >> 3] |= (uint8_t)(1u << (hash & 7));
    }
}

void track_slide(uint64_t by)
{
    slide += by;
    fill_filter();
}

static bool is_wanted(uint64_t function)
{
    uint32_t hash = hash_of(function);

    if (function_count == 0)
        return true;
    return filter[hash >> 3] >> (hash & 7) & 1 &&
           ranges_have(functions, function_count, function - slide);
}

uint64_t track_least(uint64_t function, uint32_t depth)
{
    return depth <= depth_most && is_wanted(function) ? least : NEVER;
}

/* The same of a function that is known by another address of it: the command knows which it is. */
static uint64_t least_within(uint32_t depth)
{
    return depth <= depth_most ? least : NEVER;
}

/* --- Tracks --- */

static struct numbered tracks; /* struct track *, [thread] */
static uint64_t full_at;

bool track_init(const struct request *request)
{
    least = request->trace.least;
    depth_most = request->trace.depth;
    functions = &request->addresses[request->trace.functions.first];
    function_count = request->trace.functions.count;
    fill_filter();
    return numbered_at(&tracks, 0, sizeof(struct track *));
}

struct track *track_of(uint32_t thread)
{
    struct track **place = numbered_at(&tracks, thread, sizeof(*place)), *track;

    if (!place)
        return NULL;
    track = *place;
    if (track)
        return track;
    track = calloc(1, sizeof(*track));
    if (!track)
        return NULL;
    track->open = calloc(OPEN_LESS, sizeof(*track->open));
    if (!track->open) {
        free(track);
        return NULL;
    }
    *track = (struct track){
        .depth = 1, .room = OPEN_LESS, .open = track->open, .thread = thread, .cpu = TRACK_NO_CPU};
    *place = track;
    return track;
}

bool track_make_room(struct track *track, uint32_t depth)
{
    struct slice *more;

    if (depth < track->room)
        return true;
    more = realloc(track->open, 2 * (size_t)depth * sizeof(*more));
    if (!more)
        return false;
    track->open = more;
    track->room = 2 * depth;
    return true;
}

/* --- Runs --- */

void track_count_sent(uint64_t now)
{
    if (!full_at && !window_takes_sample()) {
        full_at = now;
        window_end(clock_sum());
    }
}

uint64_t track_full_at(void)
{
    return full_at;
}

void track_run(struct track *track, unsigned cpu, uint64_t now)
{
    track->cpu = cpu;
    track->since = now;
}

void track_leave(struct track *track, uint64_t ip, uint64_t now)
{
    struct wire_run run = {.thread = track->thread, .began = track->since, .ended = now};

    if (now > track->since) {
        tell_ran(&run, track_innermost(track)->context, ip, track->cpu);
        track_count_sent(now);
    }
    track->cpu = TRACK_NO_CPU;
    track->left = now;
}

/* --- Slices --- */

__attribute__((noinline)) void track_find_function(struct track *track, uint64_t ip, bool first)
{
    struct slice *slice = track_innermost(track);
    uint32_t depth = track->depth - 1;

    slice->at = ip;
    if (depth > 0 && context_at(slice->context)->by == WIRE_BY_CALL)
        slice->least = first ? track_least(ip, depth) : least_within(depth);
}

void track_push(struct track *track, uint32_t context, uint64_t at, uint64_t now)
{
    if (__builtin_expect(track_innermost(track)->at == 0, 0))
        track_find_function(track, context_at(context)->site, false);
    track->open[track->depth] = (struct slice){
        .at = at, .began = now, .least = track_least(at, track->depth), .context = context};
    track->depth++;
}

void track_begin(struct track *track, uint32_t context, uint64_t inner, uint64_t now, bool unseen)
{
    enum wire_by by = context_at(context)->by;
    struct slice *slice;

    track_push(track, context, inner, now);
    slice = track_innermost(track);
    slice->vector = -1;
    slice->least = by == WIRE_BY_CALL ? least_within(track->depth - 1) : 0;
    if (inner || (unseen && by != WIRE_BY_SYSCALL))
        slice->flags = WIRE_SLICE_BEFORE;
}

void track_add_up(struct track *track, uint64_t time)
{
    struct slice *slice = track_innermost(track);

    slice[-1].shorter += slice->shorter + 1;
    slice[-1].shorter_time += time;
    track->depth--;
}

void track_pop(struct track *track, uint64_t ip, uint64_t now, uint32_t flags)
{
    struct slice *slice = track_innermost(track);
    const struct context *context = context_at(slice->context);
    uint64_t ended = now < slice->began ? slice->began : now;
    struct wire_slice record = {.thread = track->thread,
                                .depth = track->depth - 1,
                                .at = slice->at ? slice->at : ip,
                                .began = slice->began,
                                .ended = ended,
                                .shorter = slice->shorter,
                                .shorter_time = slice->shorter_time,
                                .vector = slice->vector,
                                .error = slice->error,
                                .by = context->by,
                                .flags = slice->flags | flags};

    if (context->by == WIRE_BY_UNKNOWN || ended - slice->began < slice->least) {
        track_add_up(track, ended - slice->began);
        return;
    }
    if (track->cpu != TRACK_NO_CPU && track->since <= slice->began)
        record.flags |= WIRE_SLICE_STAYED;
    tell_slice(&record, slice->context, track->cpu == TRACK_NO_CPU ? 0 : track->cpu);
    track->depth--;
    track_count_sent(now);
}

void track_cut(struct track *track, uint64_t ip, uint64_t now)
{
    while (track->depth > 1)
        track_pop(track, ip, now, WIRE_SLICE_CUT);
}

void track_cut_waiting(void)
{
    struct track *const *each = tracks.entries;

    for (uint32_t thread = 0; thread < tracks.room; thread++)
        if (each[thread] && each[thread]->cpu == TRACK_NO_CPU)
            track_cut(each[thread], 0, each[thread]->left);
}

uint64_t track_summed(void)
{
    struct track *const *each = tracks.entries;
    uint64_t summed = 0;

    for (uint32_t thread = 0; thread < tracks.room; thread++)
        summed += each[thread] ? each[thread]->open->shorter : 0;
    return summed;
}
