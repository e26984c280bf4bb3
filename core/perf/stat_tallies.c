/* SPDX-License-Identifier: BSD-2-Clause */
/* See stat_tallies.h. */
#include "core/perf/stat_tallies.h"

#include "core/console/command.h"
#include "core/host.h"
#include "core/recording/memory.h"
#include "core/tally/print.h"

/*
 * Indexed by event; without lines if the event has no tally. Written by tallies_prepare, then by
 * the thread that prints intervals and, once that has stopped, by the thread that ran the command.
 */
static struct tally_sums all[RECORDING_EVENTS_MAX];
static size_t bytes; /* of each event's lines */

static void give_back(void)
{
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++) {
        if (all[i].lines)
            host.memory_give(all[i].lines, bytes);
        all[i] = (struct tally_sums){.lines = NULL};
    }
}

static int take(struct tally_sums *sums, struct refusal *why)
{
    char what[48];

    print_into(what, sizeof(what), "%zu bytes to sort keys in", bytes);
    sums->lines = recording_take(bytes, what, why);
    sums->most = tally_lines_most();
    return sums->lines ? 0 : -ENOMEM;
}

static bool has_lines(const struct tally_plan *plan)
{
    return tally_is_wanted(plan) && plan->role != TALLY_BEGINS;
}

int tallies_prepare(const struct perf_options *options, struct refusal *why)
{
    int error = 0;

    give_back(); /* what a failed command left */
    bytes = tally_lines_most() * sizeof(struct tally_line);
    if (options->stat.runs > 1) /* a run is sorted together with earlier ones */
        bytes *= 2;
    for (unsigned i = 0; !error && i < options->recording.event_count; i++)
        if (has_lines(&options->recording.events[i].tally))
            error = take(&all[i], why);
    if (error)
        give_back();
    return error;
}

void tallies_add(void)
{
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++)
        if (all[i].lines && recording_tally(i))
            tally_sums_add(&all[i], recording_tally(i));
}

void tallies_mark(void)
{
    for (unsigned i = 0; i < RECORDING_EVENTS_MAX; i++)
        if (all[i].lines && recording_tally(i))
            tally_mark(recording_tally(i));
}

void tallies_print_interval(const struct perf_options *options)
{
    for (unsigned i = 0; i < options->recording.event_count; i++) {
        const struct tally *tally = recording_tally(i);
        struct tally_sums interval = {.lines = all[i].lines};

        if (!interval.lines || !tally)
            continue;
        interval.count = tally_lines_marked(tally, interval.lines);
        print_together_begin();
        tally_print(print_console(), options->recording.events[i].name, tally, &interval);
        print_together_end();
    }
}

void tallies_print(const struct perf_options *options)
{
    for (unsigned i = 0; i < options->recording.event_count; i++) {
        const struct tally *tally = recording_tally(i);
        const char *name = options->recording.events[i].name;

        if (!all[i].lines || !tally)
            continue;
        if (options->stat.interval_ms)
            tally_print_rest(command_output(), name, tally, &all[i]);
        else
            tally_print(command_output(), name, tally, &all[i]);
    }
    give_back();
}
