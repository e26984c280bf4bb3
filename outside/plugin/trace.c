/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace.h. */
#include "outside/plugin/trace.h"

#include <stdlib.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/events.h"
#include "outside/plugin/run.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/track.h"

#define PATH_LESS 1024

/* Written by its CPU; `check` and `ends` also under the lock by another one. */
static struct here {
    _Alignas(64) struct track *track; /* NULL: not known */
    uint64_t ends;                    /* what is open has ended then; 0: it has not */
    bool check;                       /* the lock must be taken to see what to do */
    bool off;                         /* nothing is traced */
} cpus[FOLLOW_CPUS];

static uint32_t *path; /* contexts from the current one outwards */
static uint32_t path_room;

bool trace_begin(const struct request *request)
{
    trace_locks_begin(request);
    trace_wakes_begin(request);
    path_room = PATH_LESS;
    path = malloc(path_room * sizeof(*path));
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        cpus[cpu].check = true;
    return track_init(request) && path;
}

/* The CPU has run its thread until now. */
static void end_run(unsigned cpu, uint64_t now)
{
    struct here *here = &cpus[cpu];

    if (here->track)
        track_leave(here->track, clock_place(cpu), now);
    here->track = NULL;
}

/* True if the CPU's slices may be changed: something is traced, and what had to end has ended. */
static bool is_on(unsigned cpu)
{
    struct here *here = &cpus[cpu];

    if (here->ends && here->track) {
        track_cut(here->track, clock_place(cpu), here->ends);
        end_run(cpu, here->ends);
    }
    here->ends = 0;
    __atomic_store_n(&here->check, false, __ATOMIC_RELAXED);
    here->off = !window_open();
    return !here->off;
}

void trace_cut(void)
{
    uint64_t now = clock_sum();

    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        if (!cpus[cpu].ends)
            cpus[cpu].ends = now;
        __atomic_store_n(&cpus[cpu].check, true, __ATOMIC_RELAXED);
    }
    track_cut_waiting();
    trace_locks_cut();
}

/* --- What happens --- */

/*
 * Leaves in `path` the contexts from this one outwards, and returns how many; 0: no memory. Those
 * that follow_allocates has made belong to the call that they are in.
 */
static uint32_t find_path(uint32_t context)
{
    uint32_t count = 0;

    for (; context != CONTEXT_NONE; context = context_at(context)->outer) {
        if (context_at(context)->by == WIRE_BY_ALLOCATOR)
            continue;
        if (count == path_room) {
            uint32_t *more = realloc(path, 2 * (size_t)path_room * sizeof(*more));

            if (!more)
                return 0;
            path = more;
            path_room *= 2;
        }
        path[count++] = context;
    }
    return count;
}

/*
 * Ends what is not in the path, and begins what is missing. Slices that did not begin by a call
 * just now have begun unseen, before the trace or in another thread's name.
 */
static void match_path(struct track *track, uint32_t count, bool called, uint64_t now, uint64_t ip)
{
    uint32_t same = 0;

    while (same < count && same + 1 < track->depth &&
           track->open[same + 1].context == path[count - 1 - same])
        same++;
    if (called && count > 0 && same == count)
        same--; /* once more, after the last one was left unseen */
    while (track->depth - 1 > same)
        track_pop(track, ip, now, 0);
    for (; same < count; same++) {
        uint64_t inner = same + 1 < count ? context_at(path[count - 2 - same])->site : 0;

        track_begin(track, path[count - 1 - same], inner, now, !called);
    }
}

void trace_change(unsigned cpu, bool called, uint64_t entry, const struct last_interrupt *interrupt)
{
    struct here *here = &cpus[cpu];
    uint32_t context = follow_context(cpu), thread = follow_thread(cpu), count;
    uint64_t now = clock_sum();
    struct track *track = thread && is_on(cpu) ? track_of(thread) : NULL;
    struct slice *slice;

    if (!track)
        return;
    if (track != here->track) {
        end_run(cpu, now);
        if (track->cpu != TRACK_NO_CPU) /* its handler goes on here, while it runs there */
            return;
        here->track = track;
        track_run(track, cpu, now);
        trace_wakes_run(thread, cpu, now);
    }
    count = find_path(context);
    if (!track_make_room(track, count + 1))
        return;
    match_path(track, count, called, now, clock_place(cpu));
    slice = track_innermost(track);
    if (!called || track->depth == 1)
        return;
    slice->at = entry;
    if (context_at(context)->by == WIRE_BY_CALL)
        slice->least = track_least(entry, track->depth - 1);
    slice->vector = interrupt ? interrupt->vector : -1;
    slice->error = interrupt ? interrupt->error : 0;
    if (track_full_at() == now)
        trace_cut();
}

__attribute__((noinline)) static void change_alone(unsigned cpu, bool called, uint64_t entry)
{
    if (run_take(cpu))
        trace_change(cpu, called, entry, NULL);
    plugin_unlock();
}

/* True if a call or return is not as most are: the lock is needed, unless nothing is traced. */
static bool is_checked(struct here *here)
{
    if (__atomic_load_n(&here->check, __ATOMIC_RELAXED))
        here->off = false; /* until is_on has looked */
    return __atomic_load_n(&here->check, __ATOMIC_RELAXED) | here->off | !here->track;
}

/* Flatten: for each call, so what most of them need is here. */
__attribute__((flatten)) void trace_called(unsigned cpu, uint64_t entry)
{
    struct here *here = &cpus[cpu];
    struct track *track = here->track;
    uint32_t context;

    if (__builtin_expect(is_checked(here), 0)) {
        if (!here->off)
            change_alone(cpu, true, entry);
        return;
    }
    context = follow_context(cpu);
    if (__builtin_expect(track->depth == track->room ||
                             context_at(context)->outer != track_innermost(track)->context,
                         0))
        change_alone(cpu, true, entry);
    else
        track_push(track, context, entry, clock_sum());
}

__attribute__((noinline)) static void pop_alone(unsigned cpu, uint64_t ip, uint64_t now)
{
    if (run_take(cpu) && is_on(cpu) && cpus[cpu].track && cpus[cpu].track->depth > 1) {
        track_pop(cpus[cpu].track, ip, now, 0);
        if (track_full_at() == now)
            trace_cut();
    }
    plugin_unlock();
}

__attribute__((flatten)) void trace_returned(unsigned cpu, uint64_t ip)
{
    struct here *here = &cpus[cpu];
    struct track *track = here->track;
    uint64_t now, time;

    if (__builtin_expect(is_checked(here), 0)) {
        if (!here->off)
            change_alone(cpu, false, 0);
        return;
    }
    if (__builtin_expect(
            track->depth < 2 || track->open[track->depth - 2].context != follow_context(cpu), 0)) {
        change_alone(cpu, false, 0);
        return;
    }
    now = clock_sum();
    time = now - track_innermost(track)->began;
    if (time >= track_innermost(track)->least)
        pop_alone(cpu, ip, now);
    else
        track_add_up(track, time);
}

void trace_entered(unsigned cpu, uint64_t ip)
{
    struct track *track = cpus[cpu].track;
    struct slice *slice = track ? track_innermost(track) : NULL;

    if (!slice || track->depth == 1 || slice->at || slice->context != follow_context(cpu))
        return;
    track_find_function(track, ip, true);
}

void trace_tell(void)
{
    struct wire_traced record = {.full_at = track_full_at()};

    trace_cut();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        is_on(cpu);
    record.summed = track_summed();
    record.ended = clock_sum();
    tell_traced(&record);
}
