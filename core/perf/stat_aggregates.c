/* SPDX-License-Identifier: BSD-2-Clause */
/* The aggregates of commands.h. */
#include "core/perf/commands.h"

#include "core/aggregate/aggregate.h"
#include "core/console/command.h"
#include "core/host.h"
#include "core/recording/recording.h"

/*
 * Indexed by event; `lines` is NULL if the event has no aggregate. Written by aggregates_prepare,
 * then by the thread that prints intervals and, once that has stopped, by the thread that ran the
 * command.
 */
static struct aggregate_sums all[RECORDING_EVENTS_MAX];
static size_t bytes; /* size of each event's `lines` */

static void give_back(void)
{
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++) {
        if (all[i].lines)
            host.memory_give(all[i].lines, bytes);
        all[i] = (struct aggregate_sums){.lines = NULL};
    }
}

static int take(struct aggregate_sums *sums, struct refusal *why)
{
    char what[48];

    print_into(what, sizeof(what), "%zu bytes to sort keys in", bytes);
    sums->lines = recording_take(bytes, what, why);
    sums->most = aggregate_lines_most();
    return sums->lines ? 0 : -ENOMEM;
}

int aggregates_prepare(const struct perf_options *options, struct refusal *why)
{
    int error = 0;

    give_back(); /* memory that a failed command left */
    bytes = aggregate_lines_most() * sizeof(struct aggregate_line);
    if (options->stat.runs > 1) /* a run is sorted together with earlier ones */
        bytes *= 2;
    for (unsigned i = 0; !error && i < options->recording.event_count; i++) {
        const struct aggregate_plan *plan = &options->recording.events[i].aggregate;

        if (aggregate_is_wanted(plan) && plan->role != AGGREGATE_BEGINS)
            error = take(&all[i], why);
    }
    if (error)
        give_back();
    return error;
}

void aggregates_add(void)
{
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++)
        if (all[i].lines && recording_aggregate(i))
            aggregate_sums_add(&all[i], recording_aggregate(i));
}

void aggregates_mark(void)
{
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++)
        if (all[i].lines && recording_aggregate(i))
            aggregate_mark(recording_aggregate(i));
}

void aggregates_print_interval(const struct perf_options *options)
{
    for (unsigned i = 0; i < options->recording.event_count; i++) {
        const struct aggregate *aggregate = recording_aggregate(i);
        struct aggregate_sums interval = {.lines = all[i].lines};

        if (!interval.lines || !aggregate)
            continue;
        interval.count = aggregate_lines_marked(aggregate, interval.lines);
        print_together_begin();
        aggregate_print(print_console(), options->recording.events[i].name, aggregate, &interval);
        print_together_end();
    }
}

void aggregates_print(const struct perf_options *options)
{
    for (unsigned i = 0; i < options->recording.event_count; i++) {
        const struct aggregate *aggregate = recording_aggregate(i);
        const char *name = options->recording.events[i].name;

        if (!all[i].lines || !aggregate)
            continue;
        if (options->stat.interval_ms)
            aggregate_print_rest(command_output(), name, aggregate, &all[i]);
        else
            aggregate_print(command_output(), name, aggregate, &all[i]);
    }
    give_back();
}
