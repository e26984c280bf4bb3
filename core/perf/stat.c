/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf stat` of commands.h. */
#include "core/perf/commands.h"

#include "core/console/command.h"
#include "core/lib/deviation.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/perf/hints.h"
#include "core/perf/session.h"
#include "core/perf/stat_aggregates.h"
#include "core/perf/stat_interval.h"

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

#define SECOND_NS 1000000000ull

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
