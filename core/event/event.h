/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: what is counted, and when a count produces a sample. An event's source
 * (core/event/source.h) calls event_hit_meant for each matching hit, event_traced_meant if the hit
 * has a record, and event_sample if the source counts time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"
#include "core/event/spec.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"
#include "core/task.h"
#include "core/tracepoint/filter.h"
#include "core/tracepoint/tracepoint.h"

/* --- Pace. --- */

/*
 * The period of an event with a frequency (-F, samples per second), from the rate of its hits
 * (pace.c): in a hit or a tick; pure arithmetic, one division per call.
 */
#define PACE_HERTZ_MAX 1000000 /* the highest -F; also the throttle's default limit */

struct pace_rate {
    uint64_t hits;
    uint64_t time; /* ns, over which the hits came */
};

struct pace {
    uint64_t interval;       /* ns between samples; 0: no frequency was requested */
    uint64_t period;         /* hits from the last sample to the next; initially 1 */
    uint64_t fraction;       /* of a hit, carried over from the last period */
    uint64_t last;           /* time of the last sample */
    struct pace_rate lately; /* decaying sums over many samples, which set the period */
    struct pace_rate recent; /* ... over few samples, which bound it */
};

/* Starts at `now` (ns) with `hertz` samples per second, 1 to PACE_HERTZ_MAX. */
void pace_start(struct pace *pace, uint64_t hertz, uint64_t now);

/* Called for each sample. Returns the next period. */
uint64_t pace_sample(struct pace *pace, uint64_t now);

/*
 * Called on each tick. `hits`: hits since the last sample, fewer than the period. Returns the
 * period, shortened if the next sample would come too late, but always more than `hits`.
 */
uint64_t pace_tick(struct pace *pace, uint64_t hits, uint64_t now);

/* --- Events. --- */

/* An event that has used up its samples for a tick takes no more until the next tick. */
#define THROTTLE_TICK_NS 10000000ull

/* [owning CPU] Aligned so that indexing is a shift and CPUs share no cache line. */
struct event_cpu {
    _Alignas(256) uint64_t count; /* all hits, sampled or not; ns for the clock */
    uint64_t period;              /* hits per sample; the latest value if it varies */
    uint64_t period_left;         /* hits until the next sample */
    uint64_t unchecked;           /* samples allowed before the clock must be read */
    uint64_t weight;              /* weighted tracepoints: total weight since the last sample */
    struct pace pace;             /* sets the period if a frequency was requested */

    uint64_t tick_end;     /* end of the current throttle tick */
    uint64_t tick_samples; /* samples left in this tick, excluding `unchecked` */
    bool throttled;
    uint64_t throttled_hits; /* hits due for a sample, but throttled */
    uint64_t drained_hits;   /* hits raised by the thread that writes the stream */
    uint64_t foreign_hits;   /* hits by threads outside the workload; not counted */

    /* Clock events only: */
    uint64_t counted; /* end of the time included in `count` */
    uint64_t sampled; /* end of the time covered by samples */
    uint64_t due;     /* when the next sample is due */
};

_Static_assert(sizeof(struct event_cpu) == 256, "a page has room for those of 16 CPUs");

struct event {
    /* A hit reads this cache line, up to plan.capture, and the first one of its CPU's event_cpu. */
    _Alignas(64) struct event_cpu *cpu; /* [I] arch_cpus() entries */
    struct ring *rings;                 /* one per CPU; NULL: no samples; written in any context */
    bool filtered;                      /* [I] hits must pass event_matches to count */
    struct sample_plan plan;            /* [I] */
    struct recorded_event recorded;     /* id, attr and name [I]; event_sum writes the count */

    struct event_spec spec;     /* [I] the event as requested */
    struct event *next_paced;   /* [all CPUs parked] */
    uint64_t tick_limit;        /* [I] samples per CPU and tick; 0: never throttled */
    struct aggregate aggregate; /* memory owned by core/recording/memory.c */

    /* State of the event's source. */
    struct breakpoint breakpoint;
    struct tracepoint_probe probe;
    bool addressed;   /* [I] samples of this tracepoint have an address */
    unsigned address; /* [I] index of the argument that is the address */
    struct event_clock {
        struct event *next; /* [all CPUs parked] */
        uint64_t interval;  /* [I] ns between samples */
    } clock;
};

_Static_assert(offsetof(struct event, plan.capture) < 64, "what a hit reads is a cache line");
_Static_assert(offsetof(struct event_cpu, unchecked) < 64, "... and in one of the CPU's own");

static inline const struct event *event_of_plan(const struct sample_plan *plan)
{
    return (const struct event *)((const char *)plan - offsetof(struct event, plan));
}

/*
 * Gives the event an ID that is unique in this boot. `cpus`: arch_cpus() zeroed entries, which must
 * outlive the event.
 */
void event_init(struct event *event, const struct event_spec *spec, struct event_cpu *cpus);

/*
 * Returns the count up to now. The event must have no rings, and all CPUs must be parked. Task
 * context.
 */
uint64_t event_count_now(struct event *event);

/* Sums over all CPUs: stores the count in `recorded` and returns the rest. Any context. */
struct event_sums {
    uint64_t throttled, drained, foreign;
};
struct event_sums event_sum(struct event *event);

/*
 * The threads of `perf record -- COMMAND`: host.follow chooses them, and the host reports at each
 * switch, by pitot_follow, whether the next thread is followed.
 *
 * True while a followed thread runs on the CPU. [owning CPU; others while it is parked]
 */
extern bool task_followed[ARCH_CPUS_MAX];

/* CPU time of followed threads, in ns. Called on that CPU in any context, or while it is parked. */
uint64_t task_followed_ns(unsigned cpu);

/* True if a hit with these registers, in this thread on this CPU, counts for the event. */
bool event_matches(const struct event *event, const struct regs *regs, uint64_t ids, unsigned cpu);

extern uint64_t event_drain_ids; /* [boot] see event_set_drain */

/* True if the thread that writes the stream caused the hit, which is then counted separately. */
static inline bool event_is_drained(struct event_cpu *here, uint64_t ids)
{
    if (__builtin_expect(ids != event_drain_ids, true) || arch_interrupted())
        return false;
    here->drained_hits++;
    return true;
}

/* Counts a matching hit. Returns the ring for its sample, or NULL if no sample is due. */
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

/* True if the throttle allows the sample that is due. */
bool event_may(struct event *event, struct event_cpu *here, struct ring *ring);

/* Slow paths, out of line so that the common path saves no registers for them. */
void event_hit_checked(struct event *event, struct ring *ring, uint64_t addr,
                       const struct regs *regs, uint64_t ids);
void event_traced_checked(struct event *event, struct ring *ring, struct trace_hit *traced,
                          uint64_t addr);

/* Handles a matching hit of address `addr`. Any context, preemption off; calls may nest. */
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

/* Like event_hit_meant, for a hit that event_matches may still reject. */
void event_hit(struct event *event, uint64_t addr, const struct regs *regs);

/*
 * Handles a matching tracepoint hit; its record is built only for a sample. `addressed`: the
 * sample's address is one of the hit's arguments.
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

/* Like event_hit_meant and event_traced_meant, for a sample with this period. */
void event_hit_for(struct event *event, uint64_t addr, const struct regs *regs, uint64_t period);
void event_traced_for(struct event *event, struct trace_hit *traced, uint64_t period);

/*
 * Takes a sample with this period. Returns false if it is throttled or the event has no rings. Any
 * context, preemption off.
 */
bool event_sample(struct event *event, uint64_t period, const struct regs *regs);

/*
 * Restarts the count at 0 and, given `rings`, starts sampling; the event must have no rings yet.
 * Task context.
 */
void event_begin(struct event *event, struct ring *rings);

/* Adjusts the periods of events with a frequency. Called on each tick, in interrupt context. */
void event_tick(void);

/*
 * Between the two calls no list of events changes, because parking waits for busy CPUs. Interrupt
 * context.
 */
void event_enter(void);
void event_leave(void);
bool event_is_busy(unsigned cpu); /* any context */

/* Called at boot: hits of the thread `pid` outside interrupts are counted but not recorded. */
void event_set_drain(uint32_t pid);

/* event_enable returns 0, or a negative errno and a reason. Task context. */
int event_enable(struct event *event, struct refusal *why);
void event_disable(struct event *event);
