/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf stat` of commands.h. With -I MS, a thread prints the counts of each interval while the
 * command runs; the thread that ran the command prints the last, shorter interval.
 */
#include "core/perf/commands.h"

#include "arch/cpu.h"
#include "core/console/command.h"
#include "core/event/spec.h"
#include "core/host.h"
#include "core/lib/deviation.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

#define MS_NS     1000000ull
#define SECOND_NS 1000000000ull

/*
 * Prints a count in perf's columns, without a newline. As in perf, a clock's nanoseconds are
 * printed as milliseconds.
 */
static void stat_print_count(const struct event_spec *event, uint64_t count)
{
    unsigned long long hundredths = (count + 5000) / 10000;

    if (event->source->counts_time)
        print("%15llu.%02llu msec %s", hundredths / 100, hundredths % 100, event->name);
    else
        print("%18llu      %s", (unsigned long long)count, event->name);
}

/* --- Intervals. --- */

/*
 * The printing thread prints while the state is INTERVAL_PRINTS, and then sets INTERVAL_RUNS. The
 * thread that ends the recording waits until the state is INTERVAL_RUNS.
 */
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

/* Creates the thread if the options need it. Called before the workload's threads are followed. */
static int interval_prepare(const struct perf_options *options, struct refusal *why)
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

/* `now`: when the recording began (arch_clock_ns). */
static void interval_begin(const struct perf_options *options, uint64_t now)
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

/* Called before the recording ends. On return the thread no longer reads the recording. */
static void interval_stop(void)
{
    if (__atomic_load_n(&interval.state, __ATOMIC_ACQUIRE) != INTERVAL_OFF)
        host.wait(PITOT_INTERVAL, interval_stops);
}

/* Called after the recording has ended. Prints the counts since the last print. */
static void interval_end(const struct perf_options *options)
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

/* --- Sums. --- */

/* Sums over all runs. */
static struct {
    struct deviation counts[RECORDING_EVENTS_MAX], elapsed;
    uint64_t doubtful[RECORDING_EVENTS_MAX];
    uint64_t foreign;
} totals; /* one command at a time; too large for a stack */

static void totals_add(const struct perf_options *options, uint64_t elapsed)
{
    aggregates_add();
    for (unsigned i = 0; i < options->recording.event_count; i++) {
        const struct recorded_event *event = recording_counted(i);

        deviation_add(&totals.counts[i], event->count);
        totals.doubtful[i] += event->doubtful;
    }
    deviation_add(&totals.elapsed, elapsed);
    totals.foreign += recording_counts().foreign;
}

static void print_deviation(const struct deviation *deviation)
{
    unsigned long long percent = deviation_percent(deviation);

    if (deviation->count > 1)
        print("  ( +-%3llu.%02llu%% )", percent / 100, percent % 100);
}

static void print_counts(const struct perf_options *options)
{
    for (unsigned i = 0; i < options->recording.event_count; i++) {
        const struct event_spec *event = &options->recording.events[i];

        stat_print_count(event, deviation_mean(&totals.counts[i]));
        if (totals.doubtful[i])
            print("  (not exact: up to %llu more)", (unsigned long long)totals.doubtful[i]);
        if (record_hints_miscounts(event))
            print("  (not exact: locked accesses are miscounted)");
        print_deviation(&totals.counts[i]);
        print("\n");
    }
}

static void print_totals(const struct perf_options *options)
{
    unsigned long long mean = deviation_mean(&totals.elapsed);
    unsigned long long apart = deviation_of_mean(&totals.elapsed);
    uint32_t pid = options->recording.events[0].pid; /* the same for all events */

    print("\n Performance counter stats for ");
    if (pid)
        print("process id '%u'", pid);
    else
        print("'%s'", options->all_threads ? "system wide" : options->workload[0]);
    if (totals.elapsed.count > 1)
        print(" (%llu runs)", (unsigned long long)totals.elapsed.count);
    print(":\n\n");
    print_counts(options);
    print("\n%8llu.%09llu", mean / SECOND_NS, mean % SECOND_NS);
    if (totals.elapsed.count > 1)
        print(" +- %llu.%09llu", apart / SECOND_NS, apart % SECOND_NS);
    print(" seconds time elapsed");
    print_deviation(&totals.elapsed);
    print("\n\n");
}

/* Called once, after all intervals, because the interval of a doubtful hit is unknown. */
static void print_doubtful(const struct perf_options *options)
{
    for (unsigned i = 0; i < options->recording.event_count; i++)
        if (totals.doubtful[i])
            print("perf stat: %s is not exact: up to %llu more hits may belong to it\n",
                  options->recording.events[i].name, (unsigned long long)totals.doubtful[i]);
}

/* A later run may be rejected even if the first was not. */
static int run(const struct perf_options *options, uint64_t *elapsed, int *status,
               struct refusal *why)
{
    int error = session_begin(why);
    uint64_t begin;

    if (error)
        return error;
    if (totals.elapsed.count == 0)
        record_hints_watches("stat", &options->recording);
    begin = arch_clock_ns();
    interval_begin(options, begin);
    *status = workload_run();
    *elapsed = arch_clock_ns() - begin;
    interval_stop();
    session_end();
    interval_end(options);
    return 0;
}

int perf_stat(int argc, char **argv)
{
    struct refusal why;
    const struct perf_options *options;
    int error = session_prepare(argc, argv, false, &options, &why), status = 0;

    memset(&totals, 0, sizeof(totals));
    if (!error)
        error = interval_prepare(options, &why);
    do {
        uint64_t elapsed;

        if (!error)
            error = run(options, &elapsed, &status, &why);
        if (error) {
            print("perf stat: %s\n", why.text);
            return error;
        }
        /* A run interrupted by ^C is not counted unless it is the first. */
        if (totals.elapsed.count == 0 || !command_interrupted())
            totals_add(options, elapsed);
        session_print_lapses("stat");
    } while (totals.elapsed.count < options->stat.runs && !command_interrupted());
    if (options->stat.interval_ms)
        print_doubtful(options);
    else
        print_totals(options);
    aggregates_print(options);
    if (totals.foreign)
        print(" %llu hit%s of other threads left out (-a includes them)\n\n",
              (unsigned long long)totals.foreign, print_plural(totals.foreign));
    return status;
}
