/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event: what is counted, and when a count becomes a sample. Its source (core/event/source.h)
 * calls event_hit_meant for each occurrence that the event means, event_traced_meant for one with a
 * record, or event_sample if it counts time. Only the sources differ; the rest is the same for all
 * events.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/breakpoint/breakpoint.h"
#include "core/event/pace.h"
#include "core/event/spec.h"
#include "core/host.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"
#include "core/tracepoint/filter.h"
#include "core/tracepoint/tracepoint.h"

/*
 * How many samples one event may take in one tick of the throttle; then it is held back until the
 * next tick.
 */
#define THROTTLE_TICK_NS 10000000ull

/*
 * What an event keeps for one CPU; only that CPU's contexts write it. Aligned, so that its address
 * is found by a shift, and so that CPUs do not share cache lines.
 */
struct event_cpu {
    _Alignas(256) uint64_t count; /* hits, recorded or not; for the clock: ns */
    uint64_t period;              /* hits that a sample stands for; the last one's if it varies */
    uint64_t period_left;         /* hits until the next sample */
    uint64_t unchecked;           /* samples that may be taken without a look at the clock */
    uint64_t weight;              /* sum over a weighted tracepoint's hits since the last sample */
    struct pace pace;             /* sets the period, if a frequency was asked for */

    uint64_t tick_end;     /* the throttle: when its current tick is over */
    uint64_t tick_samples; /* samples that are left in this tick, without the unchecked ones */
    bool throttled;
    uint64_t throttled_hits; /* hits that would have been samples */
    uint64_t drained_hits;   /* hits raised by the thread that writes the stream */
    uint64_t foreign_hits;   /* hits of threads outside the workload: not counted */

    /* For the clock: */
    uint64_t counted; /* time is counted up to here, */
    uint64_t sampled; /* ... and recorded in samples up to here */
    uint64_t due;     /* when the next sample is */
};

_Static_assert(sizeof(struct event_cpu) == 256, "a page has room for those of 16 CPUs");

struct event {
    /* What each hit reads, up to plan.capture: one cache line, and one of the CPU's own. */
    _Alignas(64) struct event_cpu *cpu; /* [I] arch_cpus() of them */
    struct ring *rings;                 /* one per CPU; NULL: hits are only counted; any context */
    bool filtered;                      /* [I] not all hits count: event_matches decides */
    struct sample_plan plan;            /* [I] */
    struct recorded_event recorded;     /* id, attr and name [I]; count: event_sum's */

    struct event_spec spec;   /* [I] what was asked for */
    struct event *next_paced; /* [all CPUs parked] */
    uint64_t tick_limit;      /* [I] for one CPU; 0: never throttled */
    struct tally tally;       /* its memory is core/recording/tallies.c's */

    /* The part of its source; only one of them is in use. */
    struct breakpoint breakpoint;
    struct tracepoint_probe probe;
    bool addressed;   /* [I] a tracepoint's sample has an address, */
    unsigned address; /* [I] ... which is this argument of the hit */
    struct event_clock {
        struct event *next; /* in the list of enabled events; changed with all CPUs parked */
        uint64_t interval;  /* ns from sample to sample [I] */
    } clock;
};

_Static_assert(offsetof(struct event, plan.capture) < 64, "what a hit reads is a cache line");
_Static_assert(offsetof(struct event_cpu, unchecked) < 64, "... and in one of the CPU's own");

/* The event that this plan belongs to. */
static inline const struct event *event_of_plan(const struct sample_plan *plan)
{
    return (const struct event *)((const char *)plan - offsetof(struct event, plan));
}

/*
 * A new event that counts nothing yet, with an id that no other event of this boot has. `cpus` is
 * memory for arch_cpus() CPUs, all zero; from here on it belongs to the event.
 */
void event_init(struct event *event, const struct event_spec *spec, struct event_cpu *cpus);

/*
 * Returns what it has counted up to now. The event has no rings, and all CPUs are parked. Task
 * context.
 */
uint64_t event_count_now(struct event *event);

/*
 * Takes the sums over all CPUs: stores the count in `recorded` and returns the others. Any context.
 */
struct event_sums {
    uint64_t throttled, drained, foreign;
};
struct event_sums event_sum(struct event *event);

/* Whether a hit with these registers, by this thread on this CPU, counts for the event. */
bool event_matches(const struct event *event, const struct regs *regs, uint64_t ids, unsigned cpu);

extern uint64_t event_drain_ids; /* [boot] the ids of the thread that writes the stream */

/* Hits of the stream's own thread are counted apart. */
static inline bool event_is_drained(struct event_cpu *here, uint64_t ids)
{
    if (__builtin_expect(ids != event_drain_ids, true) || arch_interrupted())
        return false;
    here->drained_hits++;
    return true;
}

/* Counts a hit that the event means. Returns the ring for its sample, if one is due. */
__attribute__((always_inline)) static inline struct ring *
event_claim(struct event *event, struct event_cpu *here, uint64_t ids, unsigned cpu)
{
    struct ring *rings = *(struct ring *volatile *)&event->rings;

    here->count++;
    if (!rings || event_is_drained(here, ids) || --here->period_left > 0)
        return NULL;
    here->period_left = here->period;
    return &rings[cpu];
}

/* Whether the throttle lets the sample that is due be taken. */
bool event_may(struct event *event, struct event_cpu *here, struct ring *ring);

/* Rare cases, in functions of their own, so that a usual hit saves no registers for them. */
void event_hit_checked(struct event *event, struct ring *ring, uint64_t addr,
                       const struct regs *regs, uint64_t ids);
void event_traced_checked(struct event *event, struct ring *ring, struct trace_hit *traced,
                          uint64_t addr);

/*
 * One occurrence that the event means, with these registers at address `addr`. Any context of this
 * CPU with preemption off; each context level of the CPU has its own scratch memory, so levels may
 * nest.
 */
static inline void event_hit_meant(struct event *event, uint64_t addr, const struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    uint64_t ids = task_ids[cpu];
    struct event_cpu *here = &event->cpu[cpu];
    struct ring *ring = event_claim(event, here, ids, cpu);

    if (!ring)
        return;
    if (__builtin_expect(here->unchecked == 0, false)) {
        event_hit_checked(event, ring, addr, regs, ids);
        return;
    }
    here->unchecked--;
    sample_take(&event->plan, ring, addr, regs, ids, here->period);
}

/* An occurrence that a filter of the event may exclude. */
void event_hit(struct event *event, uint64_t addr, const struct regs *regs);

/*
 * A hit of a tracepoint, which the event means. Its record is made only for a sample that has one.
 * `addressed`: the sample's address is one of the hit's arguments.
 */
__attribute__((always_inline)) static inline void
event_traced_meant(struct event *event, struct trace_hit *traced, bool addressed)
{
    struct event_cpu *here = &event->cpu[traced->cpu];
    struct ring *ring = event_claim(event, here, traced->ids, traced->cpu);
    uint64_t addr;

    if (!ring)
        return;
    addr = addressed ? traced->argument[event->address] : 0;
    if (__builtin_expect(here->unchecked == 0, false)) {
        event_traced_checked(event, ring, traced, addr);
        return;
    }
    here->unchecked--;
    sample_take_traced(&event->plan, ring, traced, addr, here->period);
}

/*
 * Hits that the event means; each sample stands for `period`, which a tally has measured. Context:
 * as event_hit.
 */
void event_hit_for(struct event *event, uint64_t addr, const struct regs *regs, uint64_t period);
void event_traced_for(struct event *event, struct trace_hit *traced, uint64_t period);

/*
 * Takes a sample that stands for `period`, whatever the event's own period is. False if the
 * throttle holds it back, or if the event has no rings. Context: as event_hit.
 */
bool event_sample(struct event *event, uint64_t period, const struct regs *regs);

/*
 * Starts to count at 0; with `rings`, it takes samples from here on. The event may already be
 * enabled: until now it had no rings. Task context.
 */
void event_begin(struct event *event, struct ring *rings);

/*
 * Adjusts the periods of events that keep a frequency. Called at each tick, in interrupt context.
 */
void event_tick(void);

/*
 * Between event_enter and event_leave this CPU reads lists of events, and they do not change:
 * parking waits until the CPU is no longer busy. Interrupt context; event_is_busy: any context.
 */
void event_enter(void);
void event_leave(void);
bool event_is_busy(unsigned cpu);

/*
 * Names the thread that writes the stream. The events that this thread raises, except in interrupts
 * that it meets, are counted and not recorded. Called at boot.
 */
void event_set_drain(uint32_t pid);

/* Enable and disable its source. 0, or a negative errno and a reason. */
int event_enable(struct event *event, struct refusal *why);
void event_disable(struct event *event);
