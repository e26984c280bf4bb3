/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace.h. */
#include "outside/plugin/trace.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/locks.h"
#include "outside/plugin/ranges.h"
#include "outside/plugin/run.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/window.h"

#define OPEN_LESS   16
#define TRACKS_LESS 1024
#define NO_CPU      FOLLOW_CPUS
#define FILTER_BITS 16
#define NEVER       UINT64_MAX

struct slice {
    uint64_t at;    /* the function's first instruction, or another one of it; 0: not known yet */
    uint64_t began; /* clock_sum */
    uint64_t least; /* it is sent if it takes so long */
    uint64_t shorter, shorter_time; /* calls in it that are not sent, and their time */
    uint32_t context;
    int32_t vector; /* of an interrupt; -1: not known */
    uint32_t error;
    uint32_t flags; /* enum wire_slice_flags */
};

/* A thread. open[0] stands for its outermost function, which nothing has called. */
struct track {
    uint32_t depth, room; /* of open; depth counts open[0] */
    struct slice *open;
    uint64_t left; /* when a CPU ran it last, if none does */
    uint32_t thread;
    unsigned cpu; /* that runs it; NO_CPU: none */
};

/* Written by its CPU; `check` and `ends` also under the lock by another one. */
static struct here {
    _Alignas(64) struct track *track; /* NULL: not known */
    uint64_t since;                   /* it runs the thread */
    uint64_t ends;                    /* what is open has ended then; 0: it has not */
    bool check;                       /* the lock must be taken to see what to do */
    bool off;                         /* nothing is traced */
} cpus[FOLLOW_CPUS];

static struct track **tracks; /* [thread] */
static uint32_t tracks_room;
static uint32_t *path; /* contexts from the current one outwards */
static uint32_t path_room;

static uint64_t least, slide;
static uint32_t depth_most;
static const uint64_t
    *functions; /* sorted; those that are wanted, by their addresses in the file */
static size_t function_count;
static uint8_t filter[1u << (FILTER_BITS - 3)]; /* a bit for each function's hash */
static uint64_t full_at;                        /* when --max was reached; 0: it was not */

/* --- Which functions are wanted --- */

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

void trace_slide(uint64_t by)
{
    slide += by;
    fill_filter();
}

bool trace_begin(const struct request *request)
{
    least = request->trace.least;
    depth_most = request->trace.depth;
    functions = &request->addresses[request->trace.functions.first];
    function_count = request->trace.functions.count;
    fill_filter();
    tracks_room = TRACKS_LESS;
    tracks = calloc(tracks_room, sizeof(*tracks));
    path_room = TRACKS_LESS;
    path = malloc(path_room * sizeof(*path));
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        cpus[cpu].check = true;
    return tracks && path;
}

static bool is_wanted(uint64_t function)
{
    uint32_t hash = hash_of(function);

    if (function_count == 0)
        return true;
    return filter[hash >> 3] >> (hash & 7) & 1 &&
           ranges_have(functions, function_count, function - slide);
}

/* The least duration with which a call of the function is sent; `depth`: calls around it. */
static uint64_t least_of(uint64_t function, uint32_t depth)
{
    return depth <= depth_most && is_wanted(function) ? least : NEVER;
}

/* The same of a function that is known by another address of it: the command knows which it is. */
static uint64_t least_within(uint32_t depth)
{
    return depth <= depth_most ? least : NEVER;
}

/* --- Slices --- */

static struct slice *innermost(struct track *track)
{
    return &track->open[track->depth - 1];
}

/* It is known now in which function the innermost slice is; `first`: that this is its entry. */
__attribute__((noinline)) static void find_function(struct track *track, uint64_t ip, bool first)
{
    struct slice *slice = innermost(track);
    uint32_t depth = track->depth - 1;

    slice->at = ip;
    if (depth > 0 && context_at(slice->context)->by == WIRE_BY_CALL)
        slice->least = first ? least_of(ip, depth) : least_within(depth);
}

static void push(struct track *track, uint32_t context, uint64_t at, uint64_t now)
{
    if (__builtin_expect(innermost(track)->at == 0, 0))
        find_function(track, context_at(context)->site, false);
    track->open[track->depth] = (struct slice){
        .at = at, .began = now, .least = least_of(at, track->depth), .context = context};
    track->depth++;
}

/* The innermost slice was not sent: it is part of the one around it. */
static void add_up(struct track *track, uint64_t time)
{
    struct slice *slice = innermost(track);

    slice[-1].shorter += slice->shorter + 1;
    slice[-1].shorter_time += time;
    track->depth--;
}

/* --max: what is open then is the last that is sent. */
static void count_sent(uint64_t now)
{
    if (!full_at && !window_takes_sample()) {
        full_at = now;
        window_end(clock_sum());
    }
}

/* Ends the innermost slice. `ip`: in its function. */
static void pop(struct track *track, uint64_t ip, uint64_t now, uint32_t flags)
{
    struct slice *slice = innermost(track);
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
        add_up(track, ended - slice->began);
        return;
    }
    if (track->cpu != NO_CPU && cpus[track->cpu].since <= slice->began)
        record.flags |= WIRE_SLICE_STAYED;
    tell_slice(&record, slice->context, track->cpu == NO_CPU ? 0 : track->cpu);
    track->depth--;
    count_sent(now);
}

/* --- Threads --- */

/* NULL: no memory. */
static struct track *track_of(uint32_t thread)
{
    struct track *track;

    if (thread >= tracks_room) {
        uint32_t room = 2 * thread;
        struct track **more = realloc(tracks, room * sizeof(*more));

        if (!more)
            return NULL;
        memset(more + tracks_room, 0, (room - tracks_room) * sizeof(*more));
        tracks = more;
        tracks_room = room;
    }
    if (tracks[thread])
        return tracks[thread];
    track = calloc(1, sizeof(*track));
    if (!track)
        return NULL;
    track->open = calloc(OPEN_LESS, sizeof(*track->open));
    if (!track->open) {
        free(track);
        return NULL;
    }
    *track = (struct track){
        .depth = 1, .room = OPEN_LESS, .open = track->open, .thread = thread, .cpu = NO_CPU};
    tracks[thread] = track;
    return track;
}

/* The CPU has run its thread until now. */
static void end_run(unsigned cpu, uint64_t now)
{
    struct here *here = &cpus[cpu];
    struct wire_run run_record = {.began = here->since, .ended = now};

    if (!here->track)
        return;
    run_record.thread = here->track->thread;
    if (now > here->since) {
        tell_ran(&run_record, innermost(here->track)->context, clock_place(cpu), cpu);
        count_sent(now);
    }
    here->track->cpu = NO_CPU;
    here->track->left = now;
    here->track = NULL;
}

/* All open slices of the track end. */
static void end_slices(struct track *track, uint64_t ip, uint64_t now)
{
    while (track->depth > 1)
        pop(track, ip, now, WIRE_SLICE_CUT);
}

/* True if the CPU's slices may be changed: something is traced, and what had to end has ended. */
static bool is_on(unsigned cpu)
{
    struct here *here = &cpus[cpu];

    if (here->ends && here->track) {
        struct track *track = here->track;

        end_slices(track, clock_place(cpu), here->ends);
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
    for (uint32_t thread = 0; thread < tracks_room; thread++)
        if (tracks[thread] && tracks[thread]->cpu == NO_CPU)
            end_slices(tracks[thread], 0, tracks[thread]->left);
}

/* --- What happens --- */

/* Leaves in `path` the contexts from this one outwards, and returns how many; 0: no memory. */
static uint32_t find_path(uint32_t context)
{
    uint32_t count = 0;

    for (; context != CONTEXT_NONE; context = context_at(context)->outer) {
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

static bool make_room(struct track *track, uint32_t depth)
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

/*
 * A slice begins that is not a call just now. `inner`: the call in it, or 0; `unseen`: it may have
 * begun before, which a system call has not that has called nothing.
 */
static void begin(struct track *track, uint32_t context, uint64_t inner, uint64_t now, bool unseen)
{
    enum wire_by by = context_at(context)->by;
    struct slice *slice;

    push(track, context, inner, now);
    slice = innermost(track);
    slice->vector = -1;
    slice->least = by == WIRE_BY_CALL ? least_within(track->depth - 1) : 0;
    if (inner || (unseen && by != WIRE_BY_SYSCALL))
        slice->flags = WIRE_SLICE_BEFORE;
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
        pop(track, ip, now, 0);
    for (; same < count; same++) {
        uint64_t inner = same + 1 < count ? context_at(path[count - 2 - same])->site : 0;

        begin(track, path[count - 1 - same], inner, now, !called);
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
        if (track->cpu != NO_CPU) /* its handler goes on here, while it runs there */
            return;
        here->track = track;
        here->since = now;
        track->cpu = cpu;
    }
    count = find_path(context);
    if (!make_room(track, count + 1))
        return;
    match_path(track, count, called, now, clock_place(cpu));
    slice = innermost(track);
    if (!called || track->depth == 1)
        return;
    slice->at = entry;
    if (context_at(context)->by == WIRE_BY_CALL)
        slice->least = least_of(entry, track->depth - 1);
    slice->vector = interrupt ? interrupt->vector : -1;
    slice->error = interrupt ? interrupt->error : 0;
    if (full_at == now)
        trace_cut();
}

__attribute__((noinline)) static void change_alone(unsigned cpu, bool called, uint64_t entry)
{
    if (run_take(cpu))
        trace_change(cpu, called, entry, NULL);
    locks_give();
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
                             context_at(context)->outer != innermost(track)->context,
                         0))
        change_alone(cpu, true, entry);
    else
        push(track, context, entry, clock_sum());
}

__attribute__((noinline)) static void pop_alone(unsigned cpu, uint64_t ip, uint64_t now)
{
    if (run_take(cpu) && is_on(cpu) && cpus[cpu].track && cpus[cpu].track->depth > 1) {
        pop(cpus[cpu].track, ip, now, 0);
        if (full_at == now)
            trace_cut();
    }
    locks_give();
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
    time = now - innermost(track)->began;
    if (time >= innermost(track)->least)
        pop_alone(cpu, ip, now);
    else
        add_up(track, time);
}

void trace_entered(unsigned cpu, uint64_t ip)
{
    struct track *track = cpus[cpu].track;
    struct slice *slice = track ? innermost(track) : NULL;

    if (!slice || track->depth == 1 || slice->at || slice->context != follow_context(cpu))
        return;
    find_function(track, ip, true);
}

void trace_tell(void)
{
    struct wire_traced record = {.full_at = full_at};

    trace_cut();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        is_on(cpu);
    for (uint32_t thread = 0; thread < tracks_room; thread++)
        record.summed += tracks[thread] ? tracks[thread]->open->shorter : 0;
    record.ended = clock_sum();
    tell_traced(&record);
}
