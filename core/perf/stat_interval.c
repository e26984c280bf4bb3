/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See stat_interval.h. The printing thread prints while the state is INTERVAL_PRINTS, and then sets
 * INTERVAL_RUNS. The thread that ends the recording waits until the state is INTERVAL_RUNS.
 */
#include "core/perf/stat_interval.h"

#include "arch/cpu.h"
#include "core/event/spec.h"
#include "core/host.h"
#include "core/lib/print.h"
#include "core/perf/stat_aggregates.h"

#define MS_NS     1000000ull
#define SECOND_NS 1000000000ull

enum interval_state { INTERVAL_OFF, INTERVAL_RUNS, INTERVAL_PRINTS };

/* Owned by the thread that prints; the tick reads `state` and due_ns. */
static struct {
    uint32_t state; /* [A] enum interval_state */
    const struct perf_options *options;
    uint64_t begin_ns, length_ns;
    uint64_t due_ns;                        /* stored before the state becomes INTERVAL_RUNS */
    uint64_t printed[RECORDING_EVENTS_MAX]; /* counts up to the last print */
} interval;

static bool has_thread;

static bool interval_change(uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&interval.state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool interval_is_over(void)
{
    return __atomic_load_n(&interval.state, __ATOMIC_ACQUIRE) == INTERVAL_RUNS &&
           arch_clock_ns() >= __atomic_load_n(&interval.due_ns, __ATOMIC_RELAXED);
}

/* Intervals that elapsed during the last print are merged into this one. */
static int interval_begins_to_print(void)
{
    return interval_is_over() && interval_change(INTERVAL_RUNS, INTERVAL_PRINTS);
}

static int interval_stops(void)
{
    return interval_change(INTERVAL_RUNS, INTERVAL_OFF);
}

/* Prints a line per event: the difference between `counts` and the last counts. */
static void interval_print(uint64_t now, const uint64_t *counts)
{
    unsigned long long since = now - interval.begin_ns;

    for (unsigned i = 0; i < interval.options->recording.event_count; i++) {
        print_together_begin();
        print("%6llu.%09llu ", since / SECOND_NS, since % SECOND_NS);
        stat_print_count(&interval.options->recording.events[i], counts[i] - interval.printed[i]);
        print("\n");
        print_together_end();
        interval.printed[i] = counts[i];
    }
}

static void interval_run(void *unused)
{
    static uint64_t counts[RECORDING_EVENTS_MAX];

    (void)unused;
    for (;;) {
        uint64_t now, late;

        host.wait(PITOT_INTERVAL, interval_begins_to_print);
        now = recording_count(counts);
        interval_print(now, counts);
        aggregates_print_interval(interval.options);
        late = (now - interval.due_ns) / interval.length_ns;
        __atomic_store_n(&interval.due_ns, interval.due_ns + (late + 1) * interval.length_ns,
                         __ATOMIC_RELAXED);
        __atomic_store_n(&interval.state, INTERVAL_RUNS, __ATOMIC_RELEASE);
        host.wake(PITOT_INTERVAL);
    }
}

int interval_prepare(const struct perf_options *options, struct refusal *why)
{
    const char *wrong;
    unsigned pid;

    if (!options->stat.interval_ms || has_thread)
        return 0;
    if (!host.thread_start || !host.wait || !host.wake)
        return refuse(why, ENOSYS, "-I: thread_start, wait or wake of struct pitot_kernel is 0");
    wrong = host.thread_start("perf-stat", interval_run, &pid);
    has_thread = !wrong;
    return wrong ? refuse(why, EAGAIN, "%s", wrong) : 0;
}

void interval_begin(const struct perf_options *options, uint64_t now)
{
    if (!options->stat.interval_ms)
        return;
    interval.options = options;
    interval.begin_ns = now;
    interval.length_ns = options->stat.interval_ms * MS_NS;
    interval.due_ns = now + interval.length_ns;
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++)
        interval.printed[i] = 0;
    print("#           time             counts unit events\n");
    __atomic_store_n(&interval.state, INTERVAL_RUNS, __ATOMIC_RELEASE);
}

void interval_stop(void)
{
    if (__atomic_load_n(&interval.state, __ATOMIC_ACQUIRE) != INTERVAL_OFF)
        host.wait(PITOT_INTERVAL, interval_stops);
}

void interval_end(const struct perf_options *options)
{
    uint64_t counts[RECORDING_EVENTS_MAX] = {0}, now = arch_clock_ns();

    if (!options->stat.interval_ms)
        return;
    for (unsigned i = 0; i < options->recording.event_count; i++)
        counts[i] = recording_counted(i)->count;
    interval_print(now, counts);
    aggregates_mark();
    aggregates_print_interval(options);
}

void interval_tick(void)
{
    if (interval_is_over())
        host.wake(PITOT_INTERVAL);
}

/* As in perf, a clock's nanoseconds are printed as milliseconds. */
void stat_print_count(const struct event_spec *event, uint64_t count)
{
    unsigned long long hundredths = (count + 5000) / 10000;

    if (event->source->counts_time)
        print("%15llu.%02llu msec %s", hundredths / 100, hundredths % 100, event->name);
    else
        print("%18llu      %s", (unsigned long long)count, event->name);
}
