/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "core/recording/recording.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/memory.h"
#include "core/breakpoint/breakpoint.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/recording/kept.h"
#include "core/recording/layout.h"
#include "core/recording/merge.h"

/* One bank holds the last recording's events; the next events go into the other. */
static struct bank {
    struct event events[RECORDING_EVENTS_MAX];
    struct event_cpu *cpus; /* per-CPU state of the events; NULL: none */
    size_t bytes;           /* size of `cpus` */
} banks[2];

static struct event *events = banks[0].events; /* events of the recording */
static struct event *armed = banks[0].events;  /* events armed last */
static unsigned event_count, armed_count;
/* The first arch_cpus() rings have memory. At boot, the rings are those of the last boot. */
ARCH_KEPT static struct ring rings[ARCH_CPUS_MAX];
static uint64_t nested_before;                /* tracepoint_nested() when the events were armed */
static uint64_t lapses_before[ARCH_CPUS_MAX]; /* pitot_lapses() at that time */
static bool running;
static bool compresses;              /* the stream compresses the last recording */
static bool frozen;                  /* set in any context during a recording */
static const struct event *ended_by; /* the trigger that ended the recording, set with `frozen` */

const struct recorder recorder = RECORDER(rings, events, event_count);

void recording_init(void)
{
    last_find(rings);
}

/* Frees the bank's memory, and allocates memory for `count` events. */
static int bank_make(struct bank *bank, unsigned count, struct refusal *why)
{
    char what[80];

    assert(bank->events != events); /* readers still need the last recording */
    assert(count > 0 && count <= RECORDING_EVENTS_MAX);
    if (bank->cpus)
        host.memory_give(bank->cpus, bank->bytes);
    recording_aggregates_give(bank->events, RECORDING_EVENTS_MAX);
    bank->bytes = (size_t)count * arch_cpus() * sizeof(struct event_cpu);
    print_into(what, sizeof(what), "%zu bytes for the counters of %u events on %u CPUs",
               bank->bytes, count, arch_cpus());
    bank->cpus = recording_take(bank->bytes, what, why);
    return bank->cpus ? 0 : -ENOMEM;
}

static void recording_disable(struct event *first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        event_disable(&first[i]);
}

/*
 * Tries the event again with the events before it disarmed. If that succeeds, those events held the
 * registers; otherwise event_enable's reason names the holders.
 */
static int refuse_together(struct event *event, const char *name, unsigned before,
                           struct refusal *why)
{
    int error = event_enable(event, why);

    if (error)
        return error;
    event_disable(event);
    return refuse(why, ENOSPC,
                  "%s: no debug register is left, as the %u event%s before it in this command "
                  "take%s all that were free; record fewer at once",
                  name, before, print_plural(before), before == 1 ? "s" : "");
}

/* Arms all events or none. They only count, as they have no ring yet. */
static int recording_enable(struct bank *bank, const struct recording_options *options,
                            struct refusal *why)
{
    uint64_t tick_limit = options->rate * THROTTLE_TICK_NS / 1000000000;
    struct event *fresh = bank->events;
    int error = bank_make(bank, options->event_count, why);

    if (options->rate && !tick_limit)
        tick_limit = 1; /* a low rate must not discard all samples */
    for (unsigned i = 0; !error && i < options->event_count; i++) {
        event_init(&fresh[i], &options->events[i], bank->cpus + i * arch_cpus());
        fresh[i].tick_limit = tick_limit;
    }
    if (!error)
        error = recording_aggregates_take(fresh, options->event_count, why);
    if (!error)
        error = cpus_park(why); /* once for all events: nested calls cannot fail */
    if (error)
        return error;
    for (unsigned i = 0; !error && i < options->event_count; i++) {
        error = event_enable(&fresh[i], why);
        if (error)
            recording_disable(fresh, i);
        if (error == -ENOSPC && i > 0)
            error = refuse_together(&fresh[i], options->events[i].name, i, why);
    }
    cpus_release();
    return error;
}

/* Called after a sample of an event with `stop` or `trigger`. Any context. */
static void recording_sampled(const struct sample_plan *plan)
{
    const struct event *event = event_of_plan(plan), *nobody = NULL;

    if (event->spec.stop && host.program_stop)
        host.program_stop();
    if (!event->spec.trigger)
        return;
    __atomic_compare_exchange_n(&ended_by, &nobody, event, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    recording_freeze();
}

/*
 * Counts restart, so hits caused by setting up the rings are not included. Triggers begin last, so
 * that all other events run when a trigger hits. The second freeze is for an event that was
 * beginning during the first.
 */
static void recording_begin(struct ring *to)
{
    cpus_park_surely(); /* all CPUs begin at once */
    for (unsigned triggers = 0; triggers < 2; triggers++)
        for (unsigned i = 0; i < armed_count && !recording_frozen(); i++) {
            if (armed[i].spec.trigger != triggers)
                continue;
            sample_plan_call(&armed[i].plan,
                             triggers || armed[i].spec.stop ? recording_sampled : NULL);
            event_begin(&armed[i], to);
        }
    if (recording_frozen())
        recording_freeze();
    cpus_release();
}

/* The armed events, with new rings and thread names, replace the last recording. */
static int recording_replace(const struct recording_options *options, struct refusal *why)
{
    int error;

    compresses = options->compress;
    ended_by = NULL;
    event_count = 0; /* a report in an NMI finds no recording meanwhile */
    local_barrier();
    events = armed;
    local_barrier();
    event_count = armed_count;
    error = recording_rings_take(rings, options, why);
    recording_tasks_start();
    if (!error)
        kept_hold(rings, arch_cpus(), events, event_count);
    return error;
}

/* Keeps the last recording until the new events are armed. */
int recording_start(const struct recording_options *options, struct refusal *why)
{
    struct bank *fresh = events == banks[0].events ? &banks[1] : &banks[0];
    struct ring probe;
    int error = 0;

    if (running)
        return refuse(why, EBUSY, "a recording is running already; it ends with its workload");
    if (options->ring_size) /* both modes accept the same sizes */
        error = ring_init(&probe, NULL, options->ring_size, RING_NORMAL, false, why);
    if (!error)
        error = recording_enable(fresh, options, why);
    if (error)
        return error;
    nested_before = tracepoint_nested();
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        lapses_before[cpu] = pitot_lapses(cpu);
    frozen = false;
    armed = fresh->events;
    armed_count = options->event_count;
    if (options->ring_size)
        error = recording_replace(options, why);
    if (!error)
        recording_begin(options->ring_size ? rings : NULL);
    running = true;
    if (error) {
        recording_stop();
        event_count = 0;
    }
    return error;
}

void recording_stop(void)
{
    if (!running)
        return;
    cpus_park_surely(); /* all CPUs stop at once */
    breakpoint_audit_all();
    recording_disable(armed, armed_count);
    cpus_release();
    recording_tasks_stop();
    running = false;
}

bool recording_runs(void)
{
    return running;
}

void recording_freeze(void)
{
    for (unsigned i = 0; i < event_count; i++)
        events[i].rings = NULL;
    local_barrier(); /* no CPU starts another record once a reader sees `frozen` */
    frozen = true;
}

bool recording_frozen(void)
{
    return *(volatile bool *)&frozen;
}

/* A CPU parks only between two hits, so no hit is in progress once all CPUs are parked. */
void recording_settle(void)
{
    cpus_park_surely();
    cpus_release();
}

const char *recording_ended_by(void)
{
    return ended_by ? ended_by->recorded.name : NULL;
}

struct ring *recording_ring(unsigned cpu)
{
    return cpu < arch_cpus() && rings[cpu].bytes ? &rings[cpu] : NULL;
}

bool recording_compresses(void)
{
    return compresses;
}

bool recording_overwrites(void)
{
    return rings[0].mode == RING_OVERWRITE;
}

/* A reader of all rings. The three readers may run at the same time. */
static struct view {
    struct record_source source;
    struct recorded_event events[RECORDING_EVENTS_MAX];
    struct ring_merge merge;
} console_view, stream_view, report_view;

static void view_rewind(struct record_source *source)
{
    ring_merge_start(&((struct view *)source)->merge, rings, arch_cpus());
}

static const struct perf_event_header *view_next(struct record_source *source)
{
    return ring_merge_next(&((struct view *)source)->merge);
}

static struct record_source *view_open(struct view *view)
{
    last_hide();
    if (event_count == 0)
        return NULL;
    for (unsigned i = 0; i < event_count; i++) {
        event_sum(&events[i]);
        view->events[i] = events[i].recorded;
    }
    view->source = (struct record_source){.rewind = view_rewind,
                                          .next = view_next,
                                          .events = view->events,
                                          .event_count = event_count};
    view_rewind(&view->source);
    return &view->source;
}

struct record_source *recording_source(void)
{
    return view_open(&console_view);
}

struct record_source *recording_source_for_stream(void)
{
    return view_open(&stream_view);
}

struct record_source *recording_source_for_report(void)
{
    return view_open(&report_view);
}

struct recording_counts recording_counts(void)
{
    struct recording_counts counts = {.nameless = recording_tasks_lost()};

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        counts.produced += rings[cpu].produced;
        counts.dropped += rings[cpu].dropped;
        counts.overwritten += rings[cpu].overwritten;
    }
    for (unsigned i = 0; i < armed_count; i++) {
        struct event_sums sums = event_sum(&armed[i]);

        counts.throttled += sums.throttled;
        counts.drained += sums.drained;
        counts.foreign += sums.foreign;
    }
    counts.nested = tracepoint_nested() - nested_before;
    return counts;
}

uint64_t recording_count(uint64_t *counts)
{
    uint64_t now;

    assert(running && armed != events);
    cpus_park_surely();
    now = arch_clock_ns();
    for (unsigned i = 0; i < armed_count; i++) {
        counts[i] = event_count_now(&armed[i]);
        aggregate_mark(&armed[i].aggregate);
    }
    cpus_release();
    return now;
}

const struct recorded_event *recording_counted(unsigned event)
{
    assert(event < armed_count);
    event_sum(&armed[event]);
    return &armed[event].recorded;
}

const struct aggregate *recording_aggregate(unsigned event)
{
    return event < armed_count && armed[event].aggregate.cpu ? &armed[event].aggregate : NULL;
}

uint64_t recording_lapses(unsigned cpu)
{
    return pitot_lapses(cpu) - lapses_before[cpu];
}

size_t recording_losses(struct recorded_loss *losses, size_t most)
{
    size_t cpu;

    for (cpu = 0; cpu < arch_cpus() && cpu < most; cpu++)
        losses[cpu] = (struct recorded_loss){.cpu = (uint32_t)cpu,
                                             .dropped = rings[cpu].dropped,
                                             .overwritten = rings[cpu].overwritten};
    return cpu;
}
