/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread's track in a trace: its open slices, and the CPU that runs it. A slice is sent when it
 * ends; one that is not wanted, or ends too soon, is added to the slice around it. Called by
 * outside/plugin/trace.c, with the plugin's lock unless a function says otherwise. A CPU's current
 * track is its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/follow.h"
#include "outside/request.h"
#include "outside/wire.h"

#define TRACK_NO_CPU FOLLOW_CPUS

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
    uint64_t since; /* when a CPU began to run it, if one does */
    uint64_t left;  /* when a CPU ran it last, if none does */
    uint32_t thread;
    unsigned cpu; /* that runs it; TRACK_NO_CPU: none */
};

/* Keeps a pointer to the request. False: no memory. */
bool track_init(const struct request *request);

void track_slide(uint64_t by);

/*
 * The least duration with which a call of the function is sent; `depth`: calls around it. In any
 * thread, without the lock.
 */
uint64_t track_least(uint64_t function, uint32_t depth);

/* The thread's track; NULL: no memory. */
struct track *track_of(uint32_t thread);

/* True if there is room for slices up to that depth. */
bool track_make_room(struct track *track, uint32_t depth);

/* Needs no lock. */
static inline struct slice *track_innermost(const struct track *track)
{
    return &track->open[track->depth - 1];
}

/* The CPU runs the track's thread from now on; until now, when it was at `ip`. */
void track_run(struct track *track, unsigned cpu, uint64_t now);
void track_leave(struct track *track, uint64_t ip, uint64_t now);

/* A call begins, for which there is room. Needs no lock. */
void track_push(struct track *track, uint32_t context, uint64_t at, uint64_t now);

/* It is known now in which function the innermost slice is; `first`: that this is its entry. */
void track_find_function(struct track *track, uint64_t ip, bool first);

/*
 * A slice begins that is not a call just now. `inner`: the call in it, or 0; `unseen`: it may have
 * begun before, which a system call has not that has called nothing.
 */
void track_begin(struct track *track, uint32_t context, uint64_t inner, uint64_t now, bool unseen);

/* Ends the innermost slice. `ip`: in its function; `flags`: more of enum wire_slice_flags. */
void track_pop(struct track *track, uint64_t ip, uint64_t now, uint32_t flags);

/* Ends it as one that is not sent: it is part of the slice around it. Needs no lock. */
void track_add_up(struct track *track, uint64_t time);

/* All open slices of the track end; or those of all threads that no CPU runs. */
void track_cut(struct track *track, uint64_t ip, uint64_t now);
void track_cut_waiting(void);

/* Something of the trace was sent, at that time: --max may be reached. */
void track_count_sent(uint64_t now);

/* When --max was reached: what is open then is the last that is sent. 0: it was not. */
uint64_t track_full_at(void);

/* Calls that were not sent, nor added to a slice that was. */
uint64_t track_summed(void);
