/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting, periods and throttling. event_hit runs in the context of the source; the rest in task
 * context.
 */
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

/* The event may sample again, and if it was held back, the record says until when. */
static void event_begin_tick(struct event *event, struct ring *ring, uint64_t now)
{
    event->tick_end = now + THROTTLE_TICK_NS;
    event->tick_samples = event->tick_limit;
    if (event->throttled)
        sample_write_throttle(event, ring, PERF_RECORD_UNTHROTTLE);
    event->throttled = false;
}

/*
 * True if this sample is one too many. The clock is looked at only when the tick's samples are used
 * up: then a tick must have passed since they were given out. The first sample held back leaves a
 * record, so that a reader sees from when on they are missing.
 */
static bool event_throttled(struct event *event, struct ring *ring)
{
    if (event->tick_samples == 0) {
        uint64_t now = arch_clock_ns();

        if (now < event->tick_end) {
            if (!event->throttled)
                sample_write_throttle(event, ring, PERF_RECORD_THROTTLE);
            event->throttled = true;
            event->throttled_hits++;
            return true;
        }
        event_begin_tick(event, ring, now);
    }
    event->tick_samples--;
    return false;
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
