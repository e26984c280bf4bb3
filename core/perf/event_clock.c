/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock source: perf_event_attr <-> the clock that comes as an NMI, or where there is none the
 * timer's interrupt, either of which comes more often while an event needs it. Samples are taken
 * in there with the registers of what it interrupted: anywhere by an NMI; by the timer never where
 * interrupts are off. A sample stands for the time that has really passed since the last one,
 * however late the interrupt was.
 */
#include "core/perf/event_clock.h"

#include "arch/arch.h"
#include "core/cpus.h"
#include "core/nmi_clock.h"
#include "core/perf/event.h"
#include "core/print.h"
#include "core/string.h"
#include "core/task.h"
#include "core/ticks.h"

#define SECOND_NS 1000000000ull
#define BLIND     "/irqs-off-unseen/" /* behind the name of an event with samples */

_Static_assert(EVENT_CLOCK_HERTZ_MAX == TICKS_A_SECOND * TICKS_QUICKEN_MAX,
               "as often as the timer's interrupt can come");

static struct event *first; /* enabled ones; changed with all CPUs parked */

static bool busy[ARCH_CPUS_MAX]; /* [owning CPU] inside event_clock_enter and leave */

/* The shortest interval that samples are wanted at; UINT64_MAX: none are. */
static uint64_t event_clock_shortest(void)
{
    uint64_t shortest = UINT64_MAX;

    for (const struct event *event = first; event; event = event->clock.next)
        if (event->rings && event->clock.interval < shortest)
            shortest = event->clock.interval;
    return shortest;
}

static void event_clock_serve(const struct regs *regs);

/*
 * As often as the one with the shortest interval needs it; what only counts needs no NMI, and no
 * more than ticks.
 */
void event_clock_follow(void)
{
    static struct nmi_clock_user user = {.serve = event_clock_serve};
    uint64_t shortest = event_clock_shortest();
    bool by_timer = nmi_clock_problem() && shortest < TICK_NS;

    ticks_quicken(by_timer ? (unsigned)((TICK_NS + shortest - 1) / shortest) : 1);
    nmi_clock_use(&user, shortest == UINT64_MAX ? 0 : (unsigned)(1 + (SECOND_NS - 1) / shortest));
}

static void event_clock_count(struct event_cpu *here, uint64_t now)
{
    here->count += now - here->counted;
    here->counted = now;
}

/*
 * Due times follow each other by the interval, so that one late sample does not shift all others,
 * and what is more than an interval late is not made up for.
 */
static void event_clock_pass(struct event *event, struct event_cpu *here, uint64_t now,
                             const struct regs *regs)
{
    bool of_others;

    event_clock_count(here, now);
    if (!event->rings || now < here->due)
        return;
    of_others = event->narrow && !event_means(event, regs, task_current_ids());
    if (of_others || event_sample(event, now - here->sampled, regs))
        here->sampled = now; /* the time of others is not the event's */
    here->due += event->clock.interval;
    if (here->due + event->clock.interval <= now)
        here->due = now + event->clock.interval;
}

void event_clock_enter(void)
{
    busy[arch_cpu_id()] = true;
    local_barrier();
}

void event_clock_leave(void)
{
    local_barrier();
    busy[arch_cpu_id()] = false;
}

bool event_clock_is_busy(unsigned cpu)
{
    return *(volatile bool *)&busy[cpu];
}

static void event_clock_serve(const struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    uint64_t now = first ? arch_clock_ns() : 0;

    for (struct event *event = first; event; event = event->clock.next)
        event_clock_pass(event, &event->cpu[cpu], now, regs);
}

void event_clock_interrupt(const struct regs *regs)
{
    if (!nmi_clock_problem())
        return;
    event_clock_enter();
    event_clock_serve(regs);
    event_clock_leave();
}

const char *event_clock_blind(void)
{
    return nmi_clock_problem();
}

/* Into the name, which goes wherever its samples go: a profile does not show what it lacks. */
static void event_clock_name_blind(struct recorded_event *event)
{
    size_t length = strlen(event->name);

    print_into(event->name + length, sizeof(event->name) - length, BLIND);
}

void event_clock_begin(struct event *event)
{
    uint64_t now = arch_clock_ns();

    if (event->rings && event_clock_blind())
        event_clock_name_blind(&event->recorded);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        event->cpu[cpu].counted = event->cpu[cpu].sampled = now;
        event->cpu[cpu].due = now + event->clock.interval;
    }
    event_clock_follow();
}

/* Limits are core/perf/perf_options.c's to refuse by. */
int event_clock_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    int error;

    if (attr->config != PERF_COUNT_SW_CPU_CLOCK)
        return refuse(why, EINVAL, "%s: no software event but cpu-clock", event->recorded.name);
    event->clock.interval = attr->freq ? SECOND_NS / attr->sample_freq : attr->sample_period;
    error = cpus_park(why);
    if (error)
        return error;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        event->cpu[cpu].counted = arch_clock_ns();
    event->clock.next = first;
    first = event;
    cpus_release();
    return 0;
}

void event_clock_disable(struct event *event)
{
    struct event **link = &first;

    cpus_park_surely();
    while (*link != event)
        link = &(*link)->clock.next;
    *link = event->clock.next;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            event_clock_count(&event->cpu[cpu], arch_clock_ns());
    cpus_release();
    event_clock_follow();
}
