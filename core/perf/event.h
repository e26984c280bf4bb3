/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event: what is counted, and when a count becomes a sample. Its source
 * (core/perf/event_breakpoint.c, event_tracepoint.c) calls event_hit for each occurrence, or
 * event_sample when time is what it counts (event_clock.c); sources differ, the rest is the same
 * for all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/breakpoint.h"
#include "core/perf/event_branches.h"
#include "core/perf/event_clock.h"
#include "core/perf/event_spec.h"
#include "core/perf/filter.h"
#include "core/perf/pace.h"
#include "core/perf/records.h"
#include "core/perf/ring.h"
#include "core/perf/tracepoint.h"

/*
 * Samples that one event may take in one tick of the throttle before it is held back until the
 * next.
 */
#define THROTTLE_TICK_NS 10000000ull

/*
 * What an event keeps for one CPU, whose contexts alone write it. Aligned, so that finding it takes
 * a shift, and that CPUs do not take each other's lines.
 */
struct event_cpu {
    _Alignas(256) uint64_t count; /* hits, recorded or not; of the clock: ns */
    uint64_t period;              /* what a sample stands for; of the last one if it varies */
    uint64_t period_left;         /* hits until the next sample */
    struct pace pace;             /* sets the period, if a frequency was asked for */

    uint64_t unchecked;    /* samples that may be taken without a look at the clock */
    uint64_t tick_end;     /* the throttle's: when the current tick is over */
    uint64_t tick_samples; /* samples that it still may take, the unchecked ones left out */
    bool throttled;
    uint64_t throttled_hits; /* that would have been samples */
    uint64_t drained_hits;   /* by the thread that writes the stream */
    uint64_t foreign_hits;   /* of threads that are not the workload's: not counted */

    /* The clock's: */
    uint64_t counted; /* time is counted up to here, */
    uint64_t sampled; /* ... and stands in samples up to here */
    uint64_t due;     /* when the next sample is */
};

_Static_assert(sizeof(struct event_cpu) == 256, "a page has room for those of 16 CPUs");

struct event {
    struct recorded_event recorded;  /* id, attr and name [I]; count: event_sum's */
    struct event_chain chain;        /* [I] */
    struct event_cpu *cpu;           /* [I] arch_cpus() of them */
    struct ring *rings;              /* one per CPU; NULL: only counted, from any context on */
    struct event *next_paced;        /* [all CPUs parked] */
    struct breakpoint_target target; /* [I] of a breakpoint */
    bool narrow;                     /* [I] some hits are not meant: event_means tells */
    uint64_t only_ids;               /* [I] as task_current_ids; 0: any thread's hits */
    uint64_t only_cpus;              /* [I] bit i: CPU i; 0: any CPU's hits */
    bool only_followed;              /* [I] only hits in the recorded workload's threads */
    bool start;                      /* [I] its hits open the window of branches */
    bool trigger;                    /* [I] its first sample ends the recording */
    uint64_t tick_limit;             /* [I] of a CPU; 0: never throttled */
    void (*triggered)(const struct event *event); /* told behind each sample; NULL: nobody */

    /* Its source's part; one of them is in use. */
    struct breakpoint breakpoint;
    struct tracepoint_probe probe;
    struct event_clock clock;
    struct event_window window; /* [I] of branches */
    struct filter filter;       /* [I] of a tracepoint: which hits are some */
};

/* One occurrence, in the context of who met it: made by its source, completed by the event. */
struct hit {
    const struct regs *regs;
    const struct tracepoint_raw *raw; /* a tracepoint's record; NULL for others */
    uint64_t addr;
    uint64_t ids;    /* task_current_ids; with the CPU looked up once for all that follows */
    uint64_t period; /* that the sample stands for */
    unsigned cpu;
};

/*
 * A new event that counts nothing yet, with an id that no other event of this boot has. `cpus` is
 * memory for arch_cpus() CPUs, all zero, the event's from here on.
 */
void event_init(struct event *event, const struct event_spec *spec, struct event_cpu *cpus);

/* Takes the sums over all CPUs: count into `recorded`, the others are returned. Any context. */
struct event_sums {
    uint64_t throttled, drained, foreign;
};
struct event_sums event_sum(struct event *event);

/* Whether a hit with these registers, by that thread, there, is one that the event is for. */
bool event_means(const struct event *event, const struct regs *regs, uint64_t ids, unsigned cpu);

/* event_hit's, which is inline so that one pointer is what goes down the hit path. */
void event_take(struct event *event, struct hit *hit);

/*
 * One occurrence with these registers at address `addr`. Any context of this CPU with preemption
 * off; the CPU's context level picks the scratch memory, so levels may nest. `raw` is the
 * tracepoint's record, NULL for others; it is copied only if the event asked for it.
 */
static inline void event_hit(struct event *event, uint64_t addr, const struct regs *regs,
                             const struct tracepoint_raw *raw)
{
    struct hit hit = {.regs = regs, .raw = raw, .addr = addr};

    event_take(event, &hit);
}

/*
 * A sample that stands for `period`, whatever the event's own says. False if the throttle holds it
 * back, or if the event has no rings. Context: as event_hit.
 */
bool event_sample(struct event *event, uint64_t period, const struct regs *regs);

/*
 * Counts from 0, now; with `rings` there are samples from here on. The event may be enabled
 * already: until then it has no rings. Task context.
 */
void event_begin(struct event *event, struct ring *rings);

/* Looks after the periods of events that keep a frequency. The tick: interrupt context. */
void event_tick(void);

/*
 * The thread that writes the stream: what it raises itself, interrupts that it meets left aside, is
 * counted and not recorded. Boot.
 */
void event_set_drain(uint32_t pid);

/* Sources: 0, or a negative errno and a reason. */
int event_enable(struct event *event, struct refusal *why);
void event_disable(struct event *event);
