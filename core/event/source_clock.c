/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See source_clock.h. Samples are taken in the NMI or, without an NMI clock, in the timer
 * interrupt, which misses code with interrupts off; both run faster while an event needs it. A
 * sample's period is the time elapsed since the last one, however late the interrupt was. The rate
 * is lowered if sampling would leave the workload less than half of a CPU.
 */
#include "core/event/source_clock.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "core/event/event.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/task.h"

#define CLOCK         "cpu-clock"
#define PERIOD_MIN    (1000000000 / EVENT_CLOCK_HERTZ_MAX)
#define HERTZ_DEFAULT 4000 /* as in perf */
#define SECOND_NS     1000000000ull
#define BLIND         "/irqs-off-unseen/" /* appended to the name of an event with samples */

static struct event *first; /* [all CPUs parked] enabled events */

/*
 * An interrupt is expensive if its handler takes more than 1/EXPENSIVE_PART of its period; entry,
 * exit and the interrupt controller also take time. The rate is halved once a CPU's expensive
 * interrupts outnumber its cheap ones by EXPENSIVE_MOST, so that a few delays do not lower it.
 */
#define EXPENSIVE_PART 3
#define EXPENSIVE_MOST 8

static unsigned expensive[ARCH_CPUS_MAX]; /* [owning CPU] */
static unsigned rate;                     /* sampling interrupts per second; 0: none [A] */
static struct event_clock_slowed slowed;  /* written by the CPU that lowers `rate` */

static void event_clock_serve(const struct regs *regs, uint64_t began);

static struct nmi_clock_user user = {.serve = event_clock_serve};

static struct event_clock_timer timer; /* set at boot; all 0: no timer */

/*
 * Returns the multiple of the timer's rate that reaches `hertz`; at least 1, since the timer always
 * sends ticks.
 */
static unsigned ticks_times(unsigned hertz)
{
    return hertz <= timer.hertz || !timer.hertz ? 1 : (hertz + timer.hertz - 1) / timer.hertz;
}

/*
 * Sets the rate that the events need. An event that only counts needs no NMIs, and no more than the
 * ordinary ticks.
 */
static void event_clock_follow(void)
{
    unsigned hertz = 0;

    for (const struct event *event = first; event; event = event->clock.next)
        if (event->rings) { /* otherwise the interval may be 0 */
            uint64_t needed = 1 + (SECOND_NS - 1) / event->clock.interval;

            hertz = needed > hertz ? (unsigned)needed : hertz;
        }
    cpus_park_surely(); /* no CPU lowers the rate while all are parked */
    __atomic_store_n(&rate, hertz, __ATOMIC_RELAXED);
    if (timer.set_times)
        timer.set_times(nmi_clock_problem() ? ticks_times(hertz) : 1);
    nmi_clock_use(&user, hertz);
    cpus_release();
}

/* Events of the boot may have been armed before. */
void event_clock_set_timer(const struct event_clock_timer *with)
{
    timer = *with;
    event_clock_follow();
}

/* Returns the time that the event counts: all time, or the workload's CPU time on that CPU. */
static uint64_t event_clock_time(const struct event *event, unsigned cpu, uint64_t now)
{
    return event->spec.followed ? task_followed_ns(cpu) : now;
}

static void event_clock_count(struct event *event, unsigned cpu, uint64_t now)
{
    struct event_cpu *there = &event->cpu[cpu];
    uint64_t time = event_clock_time(event, cpu, now);

    if (event->spec.cpus && !(event->spec.cpus >> cpu & 1))
        return;
    there->count += time - there->counted;
    there->counted = time;
}

/*
 * A sample is due one interval after the last was due, so that a late one does not shift the rest.
 * Samples more than an interval late are skipped.
 */
static void event_clock_pass(struct event *event, unsigned cpu, uint64_t now,
                             const struct regs *regs)
{
    struct event_cpu *here = &event->cpu[cpu];

    event_clock_count(event, cpu, now);
    if (!event->rings || now < here->due)
        return;
    /* Time excluded from the event passes without a sample. */
    if ((event->filtered && !event_matches(event, regs, task_ids[cpu], cpu)) ||
        event_sample(event, now - here->sampled, regs))
        here->sampled = now;
    here->due += event->clock.interval;
    if (here->due + event->clock.interval <= now)
        here->due = now + event->clock.interval;
}

/*
 * If several CPUs call at once, succeeds on one. Returns false on the others, or at the lowest
 * rate.
 */
static bool event_clock_slow_down(unsigned from, unsigned to)
{
    if (to == 0 || (nmi_clock_problem() && ticks_times(to) == ticks_times(from)) ||
        !__atomic_compare_exchange_n(&rate, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    if (nmi_clock_problem())
        timer.lower_times(ticks_times(to));
    else
        nmi_clock_slow_down(&user, to);
    return true;
}

/* The records show readers where samples become fewer. */
static void event_clock_note(unsigned hertz, uint64_t took)
{
    unsigned cpu = arch_cpu_id();

    slowed = (struct event_clock_slowed){hertz, took};
    for (const struct event *event = first; event; event = event->clock.next)
        if (event->rings)
            sample_write_throttle(&event->plan, &event->rings[cpu], PERF_RECORD_THROTTLE);
}

/* Called when the handling of an interrupt that began at `began` is complete. */
static void event_clock_weigh(uint64_t began)
{
    unsigned *here = &expensive[arch_cpu_id()], hertz = __atomic_load_n(&rate, __ATOMIC_RELAXED);
    uint64_t took = arch_clock_ns() - began;

    if (took * EXPENSIVE_PART * hertz <= SECOND_NS) {
        *here -= *here > 0;
        return;
    }
    if (++*here < EXPENSIVE_MOST)
        return;
    *here = 0;
    if (event_clock_slow_down(hertz, hertz / 2))
        event_clock_note(hertz / 2, took);
}

static void event_clock_serve(const struct regs *regs, uint64_t began)
{
    unsigned cpu = arch_cpu_id();
    uint64_t now = first ? arch_clock_ns() : 0;

    for (struct event *event = first; event; event = event->clock.next)
        event_clock_pass(event, cpu, now, regs);
    if (first)
        event_clock_weigh(began);
}

void event_clock_interrupt(const struct regs *regs, uint64_t began)
{
    if (!nmi_clock_problem())
        return;
    event_enter();
    event_clock_serve(regs, began);
    event_leave();
}

struct event_clock_slowed event_clock_slowed(void)
{
    return slowed;
}

static void clock_begin(struct event *event)
{
    char *name = event->recorded.name;
    size_t length = strlen(name);
    uint64_t now = arch_clock_ns();

    if (event->rings)
        slowed = (struct event_clock_slowed){0, 0};
    /* A profile does not show what it misses, so the event's name does. */
    if (event->rings && nmi_clock_problem())
        print_into(name + length, sizeof(event->recorded.name) - length, BLIND);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        event->cpu[cpu].counted = event_clock_time(event, cpu, now);
        event->cpu[cpu].sampled = now;
        event->cpu[cpu].due = now + event->clock.interval;
    }
    event_clock_follow();
}

/* core/perf/terms.c rejects unsupported rates and periods. */
static int clock_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    int error;

    if (attr->config != PERF_COUNT_SW_CPU_CLOCK)
        return refuse(why, EINVAL, "%s: the only software event is cpu-clock",
                      event->recorded.name);
    event->clock.interval = attr->freq ? SECOND_NS / attr->sample_freq : attr->sample_period;
    error = cpus_park(why);
    if (error)
        return error;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        event->cpu[cpu].counted = event_clock_time(event, cpu, arch_clock_ns());
    event->clock.next = first;
    first = event;
    cpus_release();
    return 0;
}

/* The event takes no samples, so no NMI intervenes. */
static void clock_count(struct event *event)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            event_clock_count(event, cpu, arch_clock_ns());
}

static void clock_disable(struct event *event)
{
    struct event **link = &first;

    cpus_park_surely();
    while (*link != event) {
        assert(*link); /* the event was enabled */
        link = &(*link)->clock.next;
    }
    *link = event->clock.next;
    clock_count(event);
    cpus_release();
    event_clock_follow();
}

static int clock_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    struct spelling cursor = {spelling, why, NULL};

    if (!spelling_skip_name(&cursor, CLOCK))
        return EVENT_IS_ANOTHERS;
    spec->attr.type = PERF_TYPE_SOFTWARE;
    spec->attr.config = PERF_COUNT_SW_CPU_CLOCK;
    return spelling_modifiers(&cursor, "not a modifier of " CLOCK, &spec->attr);
}

static void clock_describe(struct sink *sink)
{
    print_to(sink,
             "  cpu-clock[:u|:k]                                   [Software event]\n"
             "      time, in ns: -F up to %d samples a second, -c from %d ns on;\n",
             EVENT_CLOCK_HERTZ_MAX, PERIOD_MIN);
    if (nmi_clock_problem())
        print_to(sink, "      by the timer, but not where interrupts are off: %s\n\n",
                 nmi_clock_problem());
    else
        print_to(sink, "      by NMI: where interrupts are off, too\n\n");
}

const struct event_source clock_source = {
    .spelt = CLOCK,
    .name = CLOCK,
    .describe = clock_describe,
    .parse = clock_parse,
    .enable = clock_enable,
    .disable = clock_disable,
    .begin = clock_begin,
    .count = clock_count,
    .counts_time = true,
    .hertz_max = EVENT_CLOCK_HERTZ_MAX,
    .hertz_default = HERTZ_DEFAULT,
    .period_min = PERIOD_MIN,
};
