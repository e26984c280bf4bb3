/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot race` of command.h: what it asks of the plugin, and how it prints the races. */
#include "outside/pitot/race.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/lib/glob.h"
#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/name.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"
#include "outside/pitot/suppressions.h"

#define COLUMN 40 /* where chains begin */
#define OUTPUT "race.data"
#define EVERY  250 /* accesses of a CPU after which it looks for a place to stop */

static struct wire_stops stops;
static bool alone; /* the machine has one CPU */

static const char *const titles[WIRE_RACE_KINDS] = {
    [WIRE_RACE_LOST] = "race, a value was lost",
    [WIRE_RACE_TORN] = "race, a value was torn",
    [WIRE_RACE_WRITES] = "race of two writes",
    [WIRE_RACE_READ] = "race of a read and a write",
};

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

struct range {
    uint64_t first, end;
};

static struct range *ranges;
static size_t range_count, range_room;

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

static int add_matches(const char *glob, const struct kernel *kernel, struct refusal *why)
{
    struct symbol symbol;
    bool found = false;

    for (size_t i = 0; symbols_by_name(i, &symbol); i++) {
        int error;

        if (!glob_match(glob, symbol.name))
            continue;
        found = true;
        error = array_grow(&ranges, &range_room, range_count + 1, sizeof(*ranges), "symbols", why);
        if (error)
            return error;
        ranges[range_count++] =
            (struct range){symbol.address, symbol.address + (symbol.size ? symbol.size : 1)};
    }
    return found ? 0 : place_refuse_name("symbol", glob, kernel, why);
}

/* Asks for the functions and variables that match one of the globs of --sync. */
static int ask_sync(const struct spelt_events *globs, struct watch *watch, struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; i < globs->count && !error; i++)
        error = add_matches(globs->text[i], watch->kernel, why);
    if (range_count > 0)
        qsort(ranges, range_count, sizeof(*ranges), compare_ranges);
    for (size_t i = 0; i < range_count && !error; i++)
        error =
            plugin_add_range(watch, &watch->request.race.sync, ranges[i].first, ranges[i].end, why);
    return error;
}

static int ask(const struct pitot_options *options, uint64_t seed, struct watch *watch,
               struct refusal *why)
{
    watch->request.chains = true;
    watch->request.race.every = options->every ? (uint32_t)options->every : EVERY;
    watch->request.race.seed = seed;
    return ask_sync(&options->sync, watch, why);
}

/* --- The races, printed --- */

static void print_side(FILE *file, const struct race_side *side)
{
    char value[32] = "";
    int printed;

    if (side->valued)
        snprintf(value, sizeof(value), " 0x%" PRIx64, side->value);
    printed = fprintf(file, "   CPU %u %s %u byte%s%s%s", side->cpu,
                      side->access == WIRE_READ ? "reads" : "writes", side->length,
                      side->length == 1 ? "" : "s", side->valued ? "," : "", value);
    fprintf(file, "%*s %s, in %s\n", printed < COLUMN ? COLUMN - printed : 0, "", side->chain,
            side->thread);
}

/* What the CPU that was stopped did next. */
static void print_then(FILE *file, const struct race_row *row)
{
    const struct race_side *own = &row->sides[0];
    bool lost = row->kind == WIRE_RACE_LOST;
    int printed;

    if (!*row->then)
        return;
    printed = fprintf(file, "   CPU %u then %s", own->cpu,
                      lost                       ? "overwrites that"
                      : own->access == WIRE_READ ? "reads the rest"
                                                 : "writes the rest");
    fprintf(file, "%*s %s\n", printed < COLUMN ? COLUMN - printed : 0, "", row->then);
}

static void print_row(FILE *file, const struct race_row *row)
{
    fprintf(file, "== %s: %s, %" PRIu64 " time%s\n", titles[row->kind], row->where, row->count,
            row->count == 1 ? "" : "s");
    print_side(file, &row->sides[0]);
    print_side(file, &row->sides[1]);
    print_then(file, row);
}

/*
 * Prints the rows, those of the same functions together, `most` of these groups (0: all). Returns
 * how many there are.
 */
static uint64_t print_races(FILE *file, uint64_t most)
{
    uint64_t groups = 0;
    size_t count = race_rows_count();

    for (size_t i = 0, next; i < count; i = next) {
        const struct race_row *first = race_rows_at(i);
        uint64_t times = 0;

        for (next = i + 1; next < count && race_rows_are_akin(first, race_rows_at(next)); next++)
            times += race_rows_at(next)->count;
        if (most && groups++ >= most)
            continue;
        groups += !most;
        print_row(file, first);
        if (next > i + 1)
            fprintf(file, "   %zu more pair%s of places in these functions, %" PRIu64 " time%s\n",
                    next - i - 1, next - i == 2 ? "" : "s", times, times == 1 ? "" : "s");
        fputc('\n', file);
    }
    return groups;
}

/* --- The end --- */

static void tell_races(const struct pitot_options *options)
{
    struct race_runs runs = race_file_runs();
    uint64_t groups;

    race_rows_sort();
    groups = print_races(stderr, options->most);
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
    static char build[RACE_BUILD_ROOM];
    struct race_run run = {.kernel = watch->kernel->name,
                           .build = build,
                           .seed = seed,
                           .stops = stops.stops,
                           .places = stops.places};
    int error = race_file_build(watch->kernel, build, why);

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
