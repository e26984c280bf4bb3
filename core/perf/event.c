/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting, periods and throttling. event_hit and what it calls run in the context of the source,
 * event_init in task context.
 */
#include "core/perf/event.h"

#include "arch/arch.h"
#include "core/perf/event_breakpoint.h"
#include "core/perf/event_tracepoint.h"
#include "core/perf/sample.h"
#include "core/string.h"
#include "core/task.h"

static uint64_t next_id = 1; /* task context */
static uint64_t drain_ids;   /* of the stream's thread, as task_current_ids; 0: none. Set at boot */

void event_init(struct event *event, const struct event_spec *spec)
{
    *event = (struct event){.recorded = {.id = next_id++, .attr = spec->attr},
                            .chain = spec->chain,
                            .trigger = spec->trigger,
                            .filter = spec->filter};
    memcpy(event->recorded.name, spec->name, sizeof(event->recorded.name));
}

void event_connect(struct event *event, struct ring *rings)
{
    event->period_left = event->recorded.attr.sample_period;
    local_barrier(); /* a hit may come from here on: the ring is the last thing it needs */
    event->rings = rings;
}

/*
 * The tick's samples are used up: gives out new ones if a tick has passed since the last were, else
 * false, and the hit is held back. The first held back leaves a record, and the end of it another,
 * so that a reader sees from when to when samples are missing. The clock is looked at here only.
 */
__attribute__((noinline)) static bool event_refill(struct event *event, struct ring *ring)
{
    uint64_t now = arch_clock_ns();
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

void event_hit(struct event *event, uint64_t addr, const struct regs *regs,
               const struct tracepoint_raw *raw)
{
    struct ring *ring = *(struct ring *volatile *)&event->rings;

    event->recorded.count++;
    if (!ring)
        return;
    if (task_current_ids() == drain_ids && !arch_interrupted()) {
        event->drained_hits++;
        return;
    }
    if (--event->period_left > 0)
        return;
    event->period_left = event->recorded.attr.sample_period;
    ring += arch_cpu_id();
    if (event->tick_limit) {
        if (event->tick_samples == 0 && !event_refill(event, ring))
            return;
        event->tick_samples--;
    }
    sample_write(event, ring, addr, regs, raw);
    if (event->triggered)
        event->triggered(event);
}

void event_set_drain(uint32_t pid)
{
    drain_ids = task_ids_of(pid);
}

int event_enable(struct event *event, struct refusal *why)
{
    if (event->recorded.attr.type == PERF_TYPE_TRACEPOINT)
        return event_tracepoint_enable(event, why);
    return event_breakpoint_enable(event, why);
}

void event_disable(struct event *event)
{
    if (event->recorded.attr.type == PERF_TYPE_TRACEPOINT)
        event_tracepoint_disable(event);
    else
        event_breakpoint_disable(event);
}
