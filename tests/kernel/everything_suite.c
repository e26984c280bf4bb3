/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything at once: each tracepoint, watches and the clock, with records and chains, over a load
 * in threads. Afterwards the counts must balance: each hit became a record or was counted as lost
 * for a known reason, each record is in the ring or counted as lost, and no record is damaged. A
 * hit inside a recording is suppressed in its own context only (docs/tracepoints.md, "Recursion").
 *
 * All four debug registers are in use. Two of the watches serve the balance: an execute breakpoint
 * on event_sample counts the clock's samples, because its own count is in nanoseconds; and a watch
 * of the ring's counter of records traps inside each recording, in a second context.
 */
#include "core/breakpoint/breakpoint.h"
#include "core/event/source_clock.h"
#include "core/lib/arguments.h"
#include "core/lib/string.h"
#include "core/perf/options.h"
#include "core/stream/drain.h"
#include "core/tracepoint/tracepoint.h"
#include "tests/kernel/everything_load.h"
#include "tests/kernel/everything_walk.h"
#include "tests/kernel/ktap.h"

#define MS    1000000ull
#define CLOCK "mem:event_sample:x"

/* Of 16 MiB for everything: the load's program takes up to six more if it has just started. */
#define ALL_MOST (8u << 20)

/* The rings of recording.c; the first is this CPU's. */
#define COUNTER "mem:rings+%zu/8:w"

struct run {
    const char *name, *options;
    uint64_t rate;                /* samples per second of one event; 0: unlimited */
    uint64_t most_ns, most_bytes; /* limits of the load; 0 bytes: unlimited */
    bool streams;                 /* streams while it runs */
};

/* The results of the last recording. */
static struct {
    const struct record_source *source;
    struct recording_counts counts;
    struct everything_walk walk;
    size_t counter; /* index of the watch of the ring's counter */
} left;

/* A listener that itself hits a tracepoint, inside the recording of the hit that called it. */
struct nester {
    struct tracepoint_probe probe;
    uint64_t hits;
};

static void nester_hit(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    struct nester *nester = (struct nester *)probe; /* its first member */

    (void)hit;
    nester->hits++;
    PITOT_TRACE(everything_inner, nester->hits);
}

static size_t event_named(const char *name)
{
    size_t i = 0;

    while (i < left.source->event_count && strcmp(left.source->events[i].name, name) != 0)
        i++;
    return i;
}

/* The clock's event, whatever its name: a clock that cannot see interrupts has another. */
static size_t event_of_clock(void)
{
    size_t i = 0;

    while (i < left.source->event_count && left.source->events[i].attr.type != PERF_TYPE_SOFTWARE)
        i++;
    return i;
}

static uint64_t count_of(const char *name)
{
    size_t i = event_named(name);

    return i < left.source->event_count ? left.source->events[i].count : 0;
}

/* Hits of all events of one type: PERF_TYPE_*. */
static uint64_t count_of_type(uint32_t type)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < left.source->event_count; i++)
        if (left.source->events[i].attr.type == type)
            sum += left.source->events[i].count;
    return sum;
}

/*
 * Records without a hit: where the timer's interrupts take a third of the time, as on a slow host,
 * the clock reports once that it is slower from then on. It cannot be slower than the ticks.
 */
static uint64_t count_slowed(void)
{
    return event_clock_slowed().hertz > 0;
}

/*
 * A recording of sched_switch begins and ends with a record of this thread: the first before the
 * watch on the ring is armed, the last by a separate function.
 */
#define STATES_FIRST 1
#define STATES_LAST  1

/* Hits outside of debug traps: tracepoints other than that of the traps, and the clock. */
static uint64_t count_outside_traps(void)
{
    return count_of_type(PERF_TYPE_TRACEPOINT) - count_of("breakpoint:hit") + count_of(CLOCK);
}

/* All hits that may become samples. */
static uint64_t count_all(void)
{
    return count_of_type(PERF_TYPE_TRACEPOINT) + count_of_type(PERF_TYPE_BREAKPOINT) +
           count_of(CLOCK);
}

static bool prepare(const struct run *run, struct perf_options *options, struct refusal *why)
{
    static char text[160];
    struct arguments arguments;
    size_t length =
        print_into(text, sizeof(text), "record -g -R %s -e *:*,mem:kernel_flag:rw,", run->options);

    length += print_into(text + length, sizeof(text) - length, COUNTER ",",
                         offsetof(struct ring, produced));
    print_into(text + length, sizeof(text) - length, CLOCK ",cpu-clock/freq=200/");
    if (arguments_split(text, &arguments, why) ||
        perf_options_parse(arguments.count, arguments.value, options, why))
        return false;
    options->recording.rate = run->rate;
    return true;
}

/*
 * Events begin and end one after the other, and their counts are compared with each other, so
 * nothing may hit meanwhile.
 */
static int start(const struct recording_options *options, struct refusal *why)
{
    uint64_t flags = arch_irq_save();
    int error = recording_start(options, why);

    arch_irq_restore(flags);
    return error;
}

static void stop(void)
{
    uint64_t flags = arch_irq_save();

    recording_stop();
    arch_irq_restore(flags);
}

static bool record(const struct run *run)
{
    static struct perf_options options;
    char counter[EVENT_NAME_SIZE];
    struct refusal why = {""};

    if (!prepare(run, &options, &why) || start(&options.recording, &why) != 0) {
        ktap_ok(false, "%s: %s", run->name, why.text);
        return false;
    }
    if (run->streams)
        drain_start();
    everything_load(run->most_ns, run->most_bytes ? run->most_bytes : UINT64_MAX);
    stop();
    if (run->streams)
        drain_finish(NULL);
    left.source = recording_source();
    left.counts = recording_counts();
    print_into(counter, sizeof(counter), COUNTER, offsetof(struct ring, produced));
    left.counter = event_named(counter);
    left.walk = everything_walk(left.source, left.counter);
    return true;
}

static void claim_books(const struct run *run)
{
    uint64_t given_back = run->streams ? drain_given_back() : 0;
    const struct recording_counts *counts = &left.counts;
    const struct everything_walk *walk = &left.walk;

    ktap_equal(walk->malformed + walk->skipped, 0, "%s: each record is whole (%llu)", run->name,
               (unsigned long long)(walk->samples + walk->throttles));
    ktap_equal(walk->backwards, 0, "... and none is older than the one before it");
    ktap_equal(walk->samples + walk->throttles + given_back + counts->overwritten + counts->dropped,
               counts->produced, "... readable, overwritten or dropped: all that was produced");
}

/* Without the throttle, which writes records that have no hit. */
static void claim_hits(void)
{
    uint64_t traps = count_of_type(PERF_TYPE_BREAKPOINT);

    ktap_equal(count_all() + count_slowed(), left.counts.produced + left.counts.drained,
               "each hit is a record or was raised by the stream's own thread");
    ktap_equal(left.counts.throttled, 0, "... none is throttled");
    ktap_equal(count_of("breakpoint:hit"), traps,
               "each debug trap is recorded by the watch and by breakpoint:hit");
    ktap_equal(left.source->events[left.counter].count + left.counts.drained,
               count_outside_traps() - STATES_FIRST + count_slowed(),
               "... also the trap inside each recording");
    ktap_equal(left.counts.nested, 0, "the way of a hit meets no tracepoint in its own context");
}

/* Those of the test kernel need other commands to run; and exit does not return. */
static bool can_be_hit(const char *name)
{
    return strncmp(name, "suite:", 6) != 0 && strncmp(name, "bench:", 6) != 0 &&
           strcmp(name, "syscalls:sys_exit_exit") != 0;
}

static void claim_all_hit(void)
{
    for (size_t i = 0; i < left.source->event_count; i++) {
        const struct recorded_event *event = &left.source->events[i];

        if (can_be_hit(event->name))
            ktap_ok(event->count > 0, "%s is hit", i == left.counter ? "the counter" : event->name);
    }
}

/* The oldest records are overwritten. */
static void claim_overwrite(void)
{
    const struct run run = {
        .name = "overwrite", .options = "--overwrite -m 64k", .most_ns = 1000 * MS};

    if (!record(&run))
        return;
    claim_all_hit();
    claim_books(&run);
    claim_hits();
    ktap_ok(left.counts.overwritten > 0 && left.counts.dropped == 0,
            "the ring is not large enough, and none is dropped");
}

/* The newest records are dropped. */
static void claim_full(void)
{
    const struct run run = {.name = "a full ring", .options = "-m 64k", .most_ns = 300 * MS};

    if (!record(&run))
        return;
    claim_books(&run);
    claim_hits();
    ktap_ok(left.counts.dropped > 0 && left.counts.overwritten == 0,
            "the ring is not large enough, and none is overwritten");
}

/* All records are kept: each event's hits can be counted in the ring. */
static void claim_whole(void)
{
    const struct run run = {.name = "a ring for all",
                            .options = "-m 16m",
                            .most_ns = 1000 * MS,
                            .most_bytes = ALL_MOST};
    uint64_t more = 0, fewer = 0;

    if (!record(&run))
        return;
    claim_books(&run);
    claim_hits();
    ktap_equal(left.counts.dropped + left.counts.overwritten, 0, "none is lost");
    for (size_t i = 0; i < left.source->event_count; i++) {
        uint64_t hits = left.source->events[i].count, samples = left.walk.by_event[i];

        if (left.source->events[i].attr.type == PERF_TYPE_SOFTWARE)
            continue;
        more += samples > hits;
        fewer += hits - samples;
    }
    ktap_equal(more, 0, "no event has more samples than hits");
    ktap_equal(fewer, left.counts.drained, "... nor fewer, the stream's own thread left aside");
    ktap_equal(left.walk.by_event[event_of_clock()], count_of(CLOCK),
               "... the clock as many as it came to");
    ktap_ok(left.walk.of_programs > 0, "chains lead into programs");
    ktap_equal(left.walk.inside,
               left.walk.by_event[left.counter] - STATES_LAST - count_of(CLOCK) - count_slowed(),
               "the traps inside recordings have the recording in their chains");
}

static void claim_throttled(void)
{
    const struct run run = {.name = "throttled",
                            .options = "-m 16m",
                            .rate = 1000,
                            .most_ns = 500 * MS,
                            .most_bytes = ALL_MOST};

    if (!record(&run))
        return;
    claim_books(&run);
    ktap_equal(left.counts.dropped, 0, "none is lost");
    ktap_ok(left.counts.throttled > 0, "the throttle holds hits back");
    ktap_ok(left.walk.throttles > 0, "... and reports from when to when");
    ktap_equal(count_all(), left.walk.samples + left.counts.throttled + left.counts.drained,
               "each hit is a sample, throttled, or was raised by the stream's own thread");
}

/*
 * Listeners that hit a tracepoint during a hit: one in task context, and one in the debug traps,
 * which may themselves be within the recording of the first.
 */
static void claim_nested(void)
{
    const struct run run = {
        .name = "hits inside", .options = "-m 16m", .most_ns = 300 * MS, .most_bytes = ALL_MOST};
    struct nester in_task = {.probe = {.hit = nester_hit}};
    struct nester in_trap = {.probe = {.hit = nester_hit}};
    uint64_t before = tracepoint_nested();
    bool recorded;

    tracepoint_listen(&pitot_tracepoint_everything_outer, &in_task.probe, NULL);
    tracepoint_listen(&tracepoint_breakpoint_hit, &in_trap.probe, NULL);
    recorded = record(&run);
    tracepoint_leave(&tracepoint_breakpoint_hit, &in_trap.probe);
    tracepoint_leave(&pitot_tracepoint_everything_outer, &in_task.probe);
    if (!recorded)
        return;
    claim_books(&run);
    ktap_ok(in_task.hits > 0 && in_trap.hits > 0, "tracepoints are hit on the way of a hit");
    ktap_equal(tracepoint_nested() - before, in_task.hits + in_trap.hits,
               "... each of them is counted, whatever the context");
    ktap_equal(left.counts.nested, in_task.hits + in_trap.hits, "... for the recording too");
    ktap_equal(count_of("suite:everything_inner"), count_of("suite:everything_outer"),
               "... and is no hit: those outside are");
    ktap_equal(count_all() + count_slowed(), left.counts.produced + left.counts.drained,
               "... nor a record: each hit is one");
    ktap_equal(count_of("breakpoint:hit"), count_of_type(PERF_TYPE_BREAKPOINT),
               "a trap inside the recording of a tracepoint is recorded all the same");
}

/* The stream's thread takes locks and is switched to and from, like any other. */
static void claim_streamed(void)
{
    const struct run run = {
        .name = "streamed", .options = "-m 256k", .most_ns = 700 * MS, .streams = true};

    if (!ktap_ok(stream_port() != NULL, "there is a port for the stream") || !record(&run))
        return;
    claim_books(&run);
    claim_hits();
    ktap_ok(drain_given_back() > 0, "records leave while it runs");
    ktap_ok(left.counts.drained > 0, "what the stream's own thread raises is counted as such");
}

static void everything_claims(void)
{
    claim_overwrite();
    claim_full();
    claim_whole();
    claim_throttled();
    claim_nested();
    claim_streamed();
}

KTAP_SUITE(everything, "all events at once over a load: the counters add up");
