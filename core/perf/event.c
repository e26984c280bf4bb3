/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting, periods and throttling. event_hit runs in the context of the source; the rest in task context. */
#include "core/perf/event.h"

#include "arch/arch.h"
#include "core/perf/sample.h"
#include "core/string.h"

static uint64_t next_id = 1; /* task context */

void event_init(struct event *event, const struct event_spec *spec)
{
    *event = (struct event){.recorded = {.id = next_id++, .attr = spec->attr}};
    memcpy(event->recorded.name, spec->name, sizeof(event->recorded.name));
}

/*
 * True if this hit is one too many for its tick. The change either way is recorded, so that a reader sees that samples are
 * missing here, and from when to when.
 */
static bool event_throttled(struct event *event, struct ring *ring)
{
    uint64_t tick = arch_clock_ns() / THROTTLE_TICK_NS;

    if (tick != event->tick) {
        event->tick = tick;
        event->tick_samples = 0;
        if (event->throttled)
            sample_write_throttle(event, ring, PERF_RECORD_UNTHROTTLE);
        event->throttled = false;
    }
    if (event->tick_samples++ < event->tick_limit)
        return false;
    if (!event->throttled)
        sample_write_throttle(event, ring, PERF_RECORD_THROTTLE);
    event->throttled = true;
    event->throttled_hits++;
    return true;
}

void event_hit(struct event *event, uint64_t addr, const struct regs *regs)
{
    struct ring *ring;

    event->recorded.count++;
    if (!event->rings || --event->period_left > 0)
        return;
    event->period_left = event->recorded.attr.sample_period;
    ring = &event->rings[arch_cpu_id()];
    if (event->tick_limit && event_throttled(event, ring))
        return;
    sample_write(event, ring, addr, regs);
}
