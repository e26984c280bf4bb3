/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting, periods and throttling. event_take, event_sample and what they call run in the context
 * of the source, event_tick in the timer's interrupt, the rest in task context.
 */
#include "core/perf/event.h"

#include "arch/arch.h"
#include "core/perf/event_breakpoint.h"
#include "core/perf/event_tracepoint.h"
#include "core/perf/sample.h"
#include "core/string.h"
#include "core/task.h"

static uint64_t next_id = 1;      /* task context */
static struct event *first_paced; /* enabled ones; changed with interrupts off */
static uint64_t drain_ids; /* of the stream's thread, as task_current_ids; 0: none. Set at boot */

void event_init(struct event *event, const struct event_spec *spec)
{
    *event = (struct event){.recorded = {.id = next_id++, .attr = spec->attr},
                            .chain = spec->chain,
                            .window = spec->window,
                            .start = spec->start,
                            .trigger = spec->trigger,
                            .filter = spec->filter};
    memcpy(event->recorded.name, spec->name, sizeof(event->recorded.name));
}

/* The clock takes its samples as often as it was asked to; others have to find the period. */
static bool event_is_paced(const struct event *event)
{
    return event->recorded.attr.freq && event->recorded.attr.type != PERF_TYPE_SOFTWARE;
}

void event_begin(struct event *event, struct ring *rings)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    uint64_t flags = arch_irq_save();

    event->recorded.count = 0;
    event->period = attr->freq ? 1 : attr->sample_period;
    event->period_left = event->period;
    if (event_is_paced(event))
        pace_start(&event->pace, attr->sample_freq, arch_clock_ns());
    local_barrier(); /* a hit may come from here on: the rings are the last thing it needs */
    event->rings = rings;
    if (attr->type == PERF_TYPE_SOFTWARE)
        event_clock_begin(event);
    if (attr->type == PERF_TYPE_HARDWARE)
        event_branches_begin(event);
    arch_irq_restore(flags);
}

/*
 * The tick's samples are used up: gives out new ones if a tick has passed since the last were, else
 * false, and the hit is held back. The first held back leaves a record, and the end of it another,
 * so that a reader sees from when to when samples are missing.
 */
static bool event_refill(struct event *event, struct ring *ring, uint64_t now)
{
    bool held_back = now < event->tick_end;

    if (held_back) {
        event->throttled_hits++;
    } else {
        event->tick_end = now + THROTTLE_TICK_NS;
        event->tick_samples = event->tick_limit;
    }
    if (held_back != event->throttled)
        sample_write_throttle(event, ring,
                              held_back ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE);
    event->throttled = held_back;
    return !held_back;
}

/*
 * A sample is due, and none is left that may be taken unchecked. An event that keeps no frequency
 * gets all that the tick has for it at once, or any number, so that the clock is seldom looked at;
 * one that does looks at it for every sample.
 */
__attribute__((noinline)) static bool event_check(struct event *event, struct ring *ring)
{
    uint64_t now = arch_clock_ns();
    bool paced = event->pace.interval;

    if (paced) {
        event->period = event->pace.period;
        event->period_left = pace_sample(&event->pace, now);
    }
    if (event->tick_limit == 0) {
        event->unchecked = paced ? 1 : UINT64_MAX;
        return true;
    }
    if (event->tick_samples == 0 && !event_refill(event, ring, now))
        return false;
    event->unchecked = paced ? 1 : event->tick_samples;
    event->tick_samples -= event->unchecked;
    return true;
}

/* Where and by whom: looked up once, for all that follows. */
static void hit_complete(struct hit *hit)
{
    hit->cpu = arch_cpu_id();
    hit->ids = task_ids[hit->cpu];
}

/* False if the throttle holds the sample back. */
static bool event_may_sample(struct event *event, struct ring *ring)
{
    if (event->unchecked == 0 && !event_check(event, ring))
        return false;
    event->unchecked--;
    return true;
}

static void event_write(struct event *event, struct ring *ring, const struct hit *hit)
{
    sample_write(event, ring, hit);
    if (event->triggered)
        event->triggered(event);
}

void event_take(struct event *event, struct hit *hit)
{
    struct ring *rings = *(struct ring *volatile *)&event->rings;

    event->recorded.count++;
    if (!rings)
        return;
    hit_complete(hit);
    if (hit->ids == drain_ids && !arch_interrupted()) {
        event->drained_hits++;
        return;
    }
    if (--event->period_left > 0)
        return;
    event->period_left = event->period;
    if (event_may_sample(event, &rings[hit->cpu]))
        event_write(event, &rings[hit->cpu], hit);
}

void event_set_drain(uint32_t pid)
{
    drain_ids = task_ids_of(pid);
}

bool event_sample(struct event *event, uint64_t period, const struct regs *regs)
{
    struct ring *rings = *(struct ring *volatile *)&event->rings;
    struct hit hit = {.regs = regs};

    if (!rings)
        return false;
    hit_complete(&hit);
    if (!event_may_sample(event, &rings[hit.cpu]))
        return false;
    event->period = period;
    event_write(event, &rings[hit.cpu], &hit);
    return true;
}

/*
 * A hit may come in between, from a watch of what is used here: it loses or repeats a part of a
 * period, and period_left is 0 at no time.
 */
static void event_repace(struct event *event, uint64_t now)
{
    uint64_t period = event->pace.period, left = event->period_left;
    uint64_t hits = left < period ? period - left : 0;

    period = pace_tick(&event->pace, hits, now);
    event->period_left = period > hits ? period - hits : 1;
}

void event_tick(void)
{
    uint64_t now = arch_clock_ns();

    for (struct event *event = first_paced; event; event = event->next_paced)
        if (event->rings)
            event_repace(event, now);
}

static void event_add_paced(struct event *event)
{
    uint64_t flags = arch_irq_save();

    event->next_paced = first_paced;
    first_paced = event;
    arch_irq_restore(flags);
}

static void event_remove_paced(const struct event *event)
{
    uint64_t flags = arch_irq_save();
    struct event **link = &first_paced;

    while (*link != event)
        link = &(*link)->next_paced;
    *link = event->next_paced;
    arch_irq_restore(flags);
}

static int event_enable_source(struct event *event, struct refusal *why)
{
    if (event->recorded.attr.exclude_kernel)
        return refuse(why, EINVAL, "%s: user-mode hits only, but nothing runs in user mode",
                      event->recorded.name);
    if (event->recorded.attr.type == PERF_TYPE_TRACEPOINT)
        return event_tracepoint_enable(event, why);
    if (event->recorded.attr.type == PERF_TYPE_SOFTWARE)
        return event_clock_enable(event, why);
    if (event->recorded.attr.type == PERF_TYPE_HARDWARE)
        return event_branches_enable(event, why);
    return event_breakpoint_enable(event, why);
}

int event_enable(struct event *event, struct refusal *why)
{
    int error = event_enable_source(event, why);

    if (!error && event_is_paced(event))
        event_add_paced(event);
    return error;
}

void event_disable(struct event *event)
{
    if (event_is_paced(event))
        event_remove_paced(event);
    if (event->recorded.attr.type == PERF_TYPE_TRACEPOINT)
        event_tracepoint_disable(event);
    else if (event->recorded.attr.type == PERF_TYPE_SOFTWARE)
        event_clock_disable(event);
    else if (event->recorded.attr.type == PERF_TYPE_HARDWARE)
        event_branches_disable(event);
    else
        event_breakpoint_disable(event);
}
