/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See event.h: counting, periods and throttling, all per CPU. Hits and event_sample run in the
 * source's context, event_tick in the timer interrupt, the rest in task context. Lists change with
 * all CPUs parked.
 */
#include "core/event/event.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/regs.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "core/sample/sample.h"
#include "core/task.h"

static uint64_t next_id = 1;      /* task context */
static struct event *first_paced; /* [all CPUs parked] enabled events */
static bool busy[ARCH_CPUS_MAX];  /* [owning CPU] between event_enter and event_leave */
uint64_t event_drain_ids = TASK_IDS_NONE;
bool task_followed[ARCH_CPUS_MAX];

/*
 * CPU time of followed threads: `sum` or, while one of them runs, the time since `from`. [owning
 * CPU; others while it is parked]
 */
static struct {
    uint64_t from, sum;
} times[ARCH_CPUS_MAX];

void event_init(struct event *event, const struct event_spec *spec, struct event_cpu *cpus)
{
    uint64_t id = next_id++;

    assert(spec->source && cpus);
    /* Assigned as one value, it would be made on the stack first. */
    memset(event, 0, sizeof(*event));
    event->plan = sample_plan_make(id, &spec->attr, &spec->chain, tracepoint_of_event(&spec->attr));
    event->recorded.id = id;
    event->recorded.attr = spec->attr;
    memcpy(event->recorded.name, spec->name, sizeof(event->recorded.name));
    event->cpu = cpus;
    event->spec = *spec;
    event->aggregate.plan = spec->aggregate;
    event->filtered = spec->pid || spec->followed || spec->cpus || spec->attr.exclude_user ||
                      spec->attr.exclude_kernel;
}

/*
 * True if the period that gives the requested frequency has to be searched for. A source that
 * counts time can compute it.
 */
static bool event_is_paced(const struct event *event)
{
    return event->spec.attr.freq && !event->spec.source->counts_time;
}

void event_begin(struct event *event, struct ring *rings)
{
    const struct perf_event_attr *attr = &event->recorded.attr;

    cpus_park_surely();
    for (struct event_cpu *cpu = event->cpu; cpu < event->cpu + arch_cpus(); cpu++) {
        cpu->count = 0;
        cpu->period = attr->freq ? 1 : attr->sample_period;
        cpu->period_left = cpu->period;
        cpu->weight = 0;
        if (event_is_paced(event))
            pace_start(&cpu->pace, attr->sample_freq, arch_clock_ns());
    }
    aggregate_clear(&event->aggregate);
    local_barrier(); /* a hit reads the rings first: store them last */
    event->rings = rings;
    if (event->spec.source->begin)
        event->spec.source->begin(event);
    cpus_release();
}

static uint64_t event_count(const struct event *event)
{
    uint64_t count = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        count += local_load(&event->cpu[cpu].count);
    return count;
}

uint64_t event_count_now(struct event *event)
{
    assert(!event->rings);
    if (event->spec.source->count)
        event->spec.source->count(event);
    return event_count(event);
}

struct event_sums event_sum(struct event *event)
{
    struct event_sums sums = {0};

    event->recorded.count = event_count(event);
    event->recorded.doubtful = __atomic_load_n(&event->breakpoint.doubtful, __ATOMIC_RELAXED);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        sums.throttled += local_load(&event->cpu[cpu].throttled_hits);
        sums.foreign += local_load(&event->cpu[cpu].foreign_hits);
        sums.drained += local_load(&event->cpu[cpu].drained_hits);
    }
    return sums;
}

/*
 * Called when a tick's samples are used up. Grants more if the tick is over; otherwise throttles
 * the hit and returns false. Records at the first throttled hit and the next sample show readers
 * where samples are missing.
 */
static bool event_refill(struct event *event, struct event_cpu *here, struct ring *ring,
                         uint64_t now)
{
    bool held_back = now < here->tick_end;

    if (held_back) {
        here->throttled_hits++;
    } else {
        here->tick_end = now + THROTTLE_TICK_NS;
        here->tick_samples = event->tick_limit;
    }
    if (held_back != here->throttled)
        sample_write_throttle(&event->plan, ring,
                              held_back ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE);
    here->throttled = held_back;
    return !held_back;
}

/*
 * Reads the clock and decides whether the sample is taken. Called for each sample of a paced event,
 * otherwise once the samples of a tick are used up, or only once if the event is never throttled.
 */
static bool event_check(struct event *event, struct event_cpu *here, struct ring *ring)
{
    uint64_t now = arch_clock_ns();
    bool paced = here->pace.interval;

    if (paced) {
        here->period = here->pace.period;
        here->period_left = pace_sample(&here->pace, now);
    }
    if (event->tick_limit == 0) {
        here->unchecked = paced ? 1 : UINT64_MAX;
        return true;
    }
    if (here->tick_samples == 0 && !event_refill(event, here, ring, now))
        return false;
    here->unchecked = paced ? 1 : here->tick_samples;
    here->tick_samples -= here->unchecked;
    return true;
}

/* Stores the flag last: until then an NMI reads the field that does not change here. */
void pitot_follow(unsigned cpu, int followed, unsigned long now)
{
    bool is_followed = followed != 0; /* any flag of the kernel's */

    if (is_followed == task_followed[cpu])
        return;
    if (is_followed)
        times[cpu].from = now - times[cpu].sum;
    else
        times[cpu].sum = now - times[cpu].from;
    local_barrier();
    task_followed[cpu] = is_followed;
}

uint64_t task_followed_ns(unsigned cpu)
{
    return task_followed[cpu] ? arch_clock_ns() - times[cpu].from : times[cpu].sum;
}

bool event_matches(const struct event *event, const struct regs *regs, uint64_t ids, unsigned cpu)
{
    const struct event_spec *spec = &event->spec;

    if (spec->pid && task_ids_of(spec->pid) != ids)
        return false;
    if (spec->cpus && !(spec->cpus >> cpu & 1))
        return false;
    if (spec->followed && !task_followed[cpu]) {
        event->cpu[cpu].foreign_hits++;
        return false;
    }
    return !(regs_user_mode(regs) ? spec->attr.exclude_user : spec->attr.exclude_kernel);
}

void event_set_drain(uint32_t pid)
{
    event_drain_ids = task_ids_of(pid);
}

bool event_may(struct event *event, struct event_cpu *here, struct ring *ring)
{
    if (here->unchecked == 0 && !event_check(event, here, ring))
        return false;
    here->unchecked--;
    return true;
}

void event_hit(struct event *event, uint64_t addr, const struct regs *regs)
{
    unsigned cpu = arch_cpu_id();

    if (!event->filtered || event_matches(event, regs, task_ids[cpu], cpu))
        event_hit_meant(event, addr, regs);
}

void event_hit_checked(struct event *event, struct ring *ring, uint64_t addr,
                       const struct regs *regs, uint64_t ids)
{
    struct event_cpu *here = &event->cpu[arch_cpu_id()];

    if (event_may(event, here, ring))
        sample_take(&event->plan, ring, addr, regs, ids, here->period);
}

void event_traced_checked(struct event *event, struct ring *ring, struct trace_hit *traced,
                          uint64_t addr)
{
    struct event_cpu *here = &event->cpu[traced->cpu];

    if (event_may(event, here, ring))
        sample_take_traced(&event->plan, ring, traced, addr, here->period);
}

void event_hit_for(struct event *event, uint64_t addr, const struct regs *regs, uint64_t period)
{
    unsigned cpu = arch_cpu_id();
    struct event_cpu *here = &event->cpu[cpu];
    struct ring *ring = event_claim(event, here, task_ids[cpu], cpu);

    if (ring && event_may(event, here, ring))
        sample_take(&event->plan, ring, addr, regs, task_ids[cpu], period);
}

void event_traced_for(struct event *event, struct trace_hit *traced, uint64_t period)
{
    struct event_cpu *here = &event->cpu[traced->cpu];
    struct ring *ring = event_claim(event, here, traced->ids, traced->cpu);

    if (ring && event_may(event, here, ring))
        sample_take_traced(&event->plan, ring, traced, 0, period);
}

bool event_sample(struct event *event, uint64_t period, const struct regs *regs)
{
    struct ring *rings = *(struct ring *volatile *)&event->rings;
    unsigned cpu = arch_cpu_id();

    if (!rings || !event_may(event, &event->cpu[cpu], &rings[cpu]))
        return false;
    sample_take(&event->plan, &rings[cpu], 0, regs, task_ids[cpu], period);
    return true;
}

void event_enter(void)
{
    assert(!busy[arch_cpu_id()]); /* a nested event_leave would allow parking too early */
    busy[arch_cpu_id()] = true;
    local_barrier();
}

void event_leave(void)
{
    local_barrier();
    busy[arch_cpu_id()] = false;
}

bool event_is_busy(unsigned cpu)
{
    return *(volatile bool *)&busy[cpu];
}

/*
 * If a breakpoint watches this data, its hit may interrupt this function: part of a period is then
 * lost or repeated, but period_left is never 0.
 */
void event_tick(void)
{
    uint64_t now = arch_clock_ns();
    unsigned cpu = arch_cpu_id();

    breakpoint_audit(cpu);
    event_enter();
    for (struct event *event = first_paced; event; event = event->next_paced) {
        struct event_cpu *here = &event->cpu[cpu];
        uint64_t period = here->pace.period, left = here->period_left;
        uint64_t hits = left < period ? period - left : 0;

        if (!event->rings)
            continue;
        period = pace_tick(&here->pace, hits, now);
        here->period_left = period > hits ? period - hits : 1;
    }
    event_leave();
}

int event_enable(struct event *event, struct refusal *why)
{
    int error = event->spec.source->enable(event, why);

    if (!error && event_is_paced(event)) {
        cpus_park_surely();
        event->next_paced = first_paced;
        first_paced = event;
        cpus_release();
    }
    return error;
}

void event_disable(struct event *event)
{
    struct event **link = &first_paced;

    if (event_is_paced(event)) {
        cpus_park_surely();
        while (*link != event) {
            assert(*link); /* the event is in the list */
            link = &(*link)->next_paced;
        }
        *link = event->next_paced;
        cpus_release();
    }
    event->spec.source->disable(event);
}
