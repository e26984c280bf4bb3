/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot race` of command.h. */
#include <inttypes.h>
#include <stdio.h>

#include "outside/pitot/build_name.h"
#include "outside/pitot/command.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/race_file.h"
#include "outside/pitot/race_rows.h"
#include "outside/pitot/race_text.h"
#include "outside/pitot/seed.h"
#include "outside/pitot/suppressions.h"
#include "outside/pitot/sync_list.h"
#include "outside/pitot/threads.h"

#define OUTPUT "race.data"
#define EVERY  250 /* accesses of a CPU after which it looks for a place to stop */

static struct wire_stops stops;
static bool alone; /* the machine has one CPU */

/* --- The plugin's records --- */

static int take(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_THREAD:
        return threads_add((const void *)record, why);
    case WIRE_STOPS:
        stops = *(const struct wire_stops *)record;
        return 0;
    case WIRE_RACE:
        return race_rows_add((const void *)record, why);
    default:
        return 0;
    }
}

/* --- What is asked --- */

static int ask(const struct pitot_options *options, uint64_t seed, struct watch *watch,
               struct refusal *why)
{
    watch->request.chains = true;
    watch->request.race.every = options->every ? (uint32_t)options->every : EVERY;
    watch->request.race.seed = seed;
    return sync_list_ask(&options->sync, watch, why);
}

/* --- The end --- */

static void tell_races(const struct pitot_options *options)
{
    struct race_runs runs = race_file_runs();
    uint64_t groups;

    race_rows_sort();
    groups = race_print(stderr, options->most);
    if (options->most && groups > options->most)
        watch_tell(groups - options->most, "race", "left out: --max was reached");
    watch_tell(race_rows_suppressed(), "race", "suppressed");
    watch_tell(stops.more, "race", "left out: 4,096 pairs of places were told");
    if (stops.stops > 0 && stops.ran + stops.interrupted == 0 && alone)
        fprintf(stderr, "pitot: no interrupt came where the CPU had stopped, so none could race\n");
    else if (stops.stops > 0 && stops.ran + stops.interrupted == 0)
        fprintf(stderr, "pitot: no CPU ran while another one was stopped, so none could race: does "
                        "QEMU have -accel tcg,thread=multi?\n");
    fprintf(stderr, "[ pitot race: %" PRIu64 " race%s; ", groups, groups == 1 ? "" : "s");
    if (runs.count > 1)
        fprintf(stderr, "%u runs, ", runs.count);
    fprintf(stderr, "%" PRIu64 " stop%s at %" PRIu64 " place%s", runs.stops,
            runs.stops == 1 ? "" : "s", runs.places, runs.places == 1 ? "" : "s");
}

static int add_run(const struct watch *watch, uint64_t seed, struct refusal *why)
{
    static char build[BUILD_NAME_ROOM];
    struct race_run run = {.kernel = watch->kernel->name,
                           .build = build,
                           .seed = seed,
                           .stops = stops.stops,
                           .places = stops.places};
    int error = build_name(watch->kernel, build, why);

    return error ? error : race_file_add_run(&run, why);
}

static int finish(const struct pitot_options *options, const struct watch *watch, uint64_t seed,
                  struct refusal *why)
{
    const char *path = options->output ? options->output : OUTPUT;
    int error = add_run(watch, seed, why);

    alone = watch->cpus == 1;
    if (!error) {
        tell_races(options);
        plain_tell("; seed %" PRIu64 "; %s%s ]", seed, path,
                   watch_ran(watch) ? "" : " is not written");
    }
    return error;
}

int command_race(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    uint64_t seed = options->seed ? options->seed : seed_choose();
    int closing, error = ask(options, seed, watch, why);

    if (!error && options->suppress)
        error = suppressions_read(options->suppress, why);
    if (!error)
        error = race_file_create(options->output ? options->output : OUTPUT, why);
    if (error)
        return error;
    watch->take = take;
    error = watch_run(watch, why);
    if (!error) {
        watch_tell_losses(watch);
        error = finish(options, watch, seed, why);
    }
    closing = race_file_close(!error && watch_ran(watch), error ? NULL : why);
    return error ? error : closing;
}

int race_ask_files(const struct pitot_options *options, struct refusal *why)
{
    int error = race_file_read(options->input, why);

    for (size_t i = 0; i < options->place_count && !error; i++)
        error = race_file_read(options->places[i], why);
    if (!error && options->output)
        error = race_file_create(options->output, why);
    if (error)
        return error;
    tell_races(options);
    fprintf(stderr, " ]\n");
    return options->output ? race_file_close(true, why) : 0;
}
