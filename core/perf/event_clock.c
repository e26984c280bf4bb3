/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock source: perf_event_attr <-> the timer's interrupt, which comes more often while an
 * event needs it. Samples are taken in that interrupt, interrupts off, with the registers of what
 * it interrupted: never inside a debug trap, as those let no interrupt in. A sample stands for the
 * time that has really passed since the last one, however late the interrupt was.
 */
#include "core/perf/event_clock.h"

#include "arch/arch.h"
#include "core/perf/event.h"
#include "core/ticks.h"

#define SECOND_NS 1000000000ull

_Static_assert(EVENT_CLOCK_HERTZ_MAX == TICKS_A_SECOND * TICKS_QUICKEN_MAX,
               "as often as the timer's interrupt can come");

static struct event *first; /* enabled ones; changed with interrupts off */

/*
 * As often as the one with the shortest interval needs it; what only counts needs no more than
 * ticks.
 */
static void event_clock_quicken(void)
{
    uint64_t times = 1;

    for (const struct event *event = first; event; event = event->clock.next) {
        uint64_t needed = (TICK_NS + event->clock.interval - 1) / event->clock.interval;

        if (event->rings && needed > times)
            times = needed;
    }
    ticks_quicken((unsigned)times);
}

static void event_clock_count(struct event *event, uint64_t now)
{
    event->recorded.count += now - event->clock.counted;
    event->clock.counted = now;
}

/*
 * Due times follow each other by the interval, so that one late sample does not shift all others,
 * and what is more than an interval late is not made up for.
 */
static void event_clock_pass(struct event *event, uint64_t now, const struct regs *regs)
{
    struct event_clock *clock = &event->clock;

    event_clock_count(event, now);
    if (!event->rings || now < clock->due)
        return;
    if (event_sample(event, now - clock->sampled, regs))
        clock->sampled = now;
    clock->due += clock->interval;
    if (clock->due + clock->interval <= now)
        clock->due = now + clock->interval;
}

void event_clock_interrupt(const struct regs *regs)
{
    uint64_t now;

    if (!first)
        return;
    now = arch_clock_ns();
    for (struct event *event = first; event; event = event->clock.next)
        event_clock_pass(event, now, regs);
}

void event_clock_begin(struct event *event)
{
    uint64_t now = arch_clock_ns();

    event->clock.counted = event->clock.sampled = now;
    event->clock.due = now + event->clock.interval;
    event_clock_quicken();
}

/* Limits are core/perf/perf_options.c's to refuse by. */
int event_clock_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    uint64_t flags;

    if (attr->config != PERF_COUNT_SW_CPU_CLOCK)
        return refuse(why, EINVAL, "%s: no software event but cpu-clock", event->recorded.name);
    event->clock.interval = attr->freq ? SECOND_NS / attr->sample_freq : attr->sample_period;
    flags = arch_irq_save();
    event->clock.counted = arch_clock_ns();
    event->clock.next = first;
    first = event;
    arch_irq_restore(flags);
    return 0;
}

void event_clock_disable(struct event *event)
{
    uint64_t flags = arch_irq_save();
    struct event **link = &first;

    while (*link != event)
        link = &(*link)->clock.next;
    *link = event->clock.next;
    event_clock_count(event, arch_clock_ns());
    arch_irq_restore(flags);
    event_clock_quicken();
}
