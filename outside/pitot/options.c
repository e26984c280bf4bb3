/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "outside/pitot/options.h"

#include <stdlib.h>
#include <string.h>

#include "core/lib/number.h"

#define SIZE_MOST (1ull << 40)

#define AT(member) OPTION_AT(struct pitot_options, member)
#define BOTH       (PITOT_RECORD | PITOT_STAT)
#define OBJECTS    (PITOT_HEAP | PITOT_LOCKS)
#define FILES      (PITOT_BLAME | PITOT_COVER | PITOT_HEAP | PITOT_RACE | PITOT_TRACE)
#define ALL        (BOTH | PITOT_GRAPH | PITOT_LAST | FILES | PITOT_LOCKS | PITOT_REPEAT)
#define SHAKEN     (ALL & ~PITOT_COVER)
#define WINDOWED   (BOTH | PITOT_HEAP | PITOT_TRACE)
#define SAMPLED    (PITOT_RECORD | PITOT_TRACE)
#define LOCKED     (PITOT_LOCKS | PITOT_TRACE)

#define DEPTH      10
#define DEPTH_MOST 1000
#define LAST       200
#define ROWS       20

#define EVERY_MOST 1000000000

#define RUNS         10
#define SILENCE      30  /* seconds */
#define TIMEOUT      600 /* the same */
#define SECONDS_MOST 1000000
#define PATTERN      "panic"

#define CALLS "call:"

static int add_event(void *at, const char *typed, char *value, struct refusal *why)
{
    struct spelt_events *events = at;

    if (events->count == EVENTS_MOST)
        return refuse(why, EINVAL, "%s: more than %u events", typed, EVENTS_MOST);
    events->text[events->count++] = value;
    return 0;
}

/* Functions are calls of them. */
static int add_function(void *at, const char *typed, char *value, struct refusal *why)
{
    char *event = malloc(sizeof(CALLS) + strlen(value));

    return event ? add_event(at, typed, strcat(strcpy(event, CALLS), value), why)
                 : refuse(why, ENOMEM, "out of memory");
}

static int read_size(void *at, const char *typed, char *value, struct refusal *why)
{
    bool unit;

    if (number_parse_size(value, SIZE_MOST, at, &unit) && unit)
        return 0;
    return refuse(why, EINVAL, "%s \"%s\": a size like 64K, 16M, 1G is allowed", typed, value);
}

static const struct option rows[] = {
    OPTION({"-e", "--event"}, "EVENT", BOTH | PITOT_TRACE, OPTION_EVENTS, EVENT_FORMS, OPTION_ADDS,
           .set = add_event, AT(events)),
    OPTION({"-g"}, NULL, PITOT_RECORD, OPTION_FLAG, "the call chain of each sample", AT(chains)),
    OPTION({"-I", "--intr-regs"}, NULL, SAMPLED, OPTION_FLAG,
           "the registers at each sample (QEMU 9.2 and later); a call's arguments, of trace",
           AT(registers)),
    OPTION({"-c", "--count"}, "N", PITOT_RECORD, OPTION_NUMBER,
           "a sample every N instructions or hits", .least = 1, AT(period)),
    OPTION({"-o", "--output"}, "FILE", PITOT_RECORD | PITOT_GRAPH | FILES, OPTION_TEXT,
           "where to write; perf.data, blame.data, lcov.info, heap.data, race.data, trace.json",
           AT(output)),
    OPTION({"--show"}, NULL, PITOT_RECORD, OPTION_FLAG, "then draws it, as pitot show does",
           AT(show)),
    OPTION({"-i", "--input"}, "FILE", PITOT_BLAME | PITOT_RACE, OPTION_TEXT,
           "the file to read, without QEMU; blame.data; the first of several of race", AT(input)),
    OPTION({"-i", "--input"}, "FILE", PITOT_TRACE, OPTION_TEXT,
           "a recording with tracepoints, to be read without QEMU", AT(input)),
    OPTION({"-m", "--memory"}, "SIZE", SAMPLED | PITOT_BLAME, OPTION_TEXT,
           "the room for samples of --overwrite, 4M, 64M of trace; for writers of all memory, "
           "256M",
           .set = read_size, AT(memory)),
    OPTION({"-n"}, "N", PITOT_BLAME, OPTION_NUMBER, "how many writers of each word; 3", .least = 1,
           .most = WRITERS_MOST, .unit = "writers", AT(writes)),
    OPTION({"--depth"}, "N", PITOT_GRAPH, OPTION_NUMBER, "how deep calls are shown; 10", .least = 1,
           .most = DEPTH_MOST, .what = "depth", .unit = "levels", AT(depth)),
    OPTION({"-f", "--function"}, "GLOB", PITOT_TRACE, OPTION_TEXT,
           "calls of these functions only; all of them", OPTION_ADDS, .set = add_function,
           AT(functions)),
    OPTION({"--depth"}, "N", PITOT_TRACE, OPTION_NUMBER,
           "calls of the N outermost levels of a thread only", .least = 1, .most = DEPTH_MOST,
           .what = "depth", .unit = "levels", AT(levels)),
    OPTION({"--least"}, "N", PITOT_TRACE, OPTION_NUMBER,
           "calls that take N instructions or more; 10000, with -f all", .least = 1, AT(least)),
    OPTION({"-n"}, "N", PITOT_LAST, OPTION_NUMBER, "how many calls of each CPU; 200", .least = 1,
           .most = LAST_MOST, .what = "-n", .unit = "calls", AT(calls)),
    OPTION({"-n"}, "N", PITOT_REPEAT, OPTION_NUMBER, "how many runs; 10", .least = 1, AT(runs)),
    OPTION({"--pattern"}, "REGEX", PITOT_REPEAT, OPTION_TEXT,
           "a run ends when a line of its console matches, in upper or lower case; panic",
           AT(pattern)),
    OPTION({"--silence"}, "SECONDS", PITOT_REPEAT, OPTION_NUMBER,
           "... or when the console has said nothing for so long; 30", .least = 1,
           .most = SECONDS_MOST, .what = "--silence", .unit = "seconds", AT(silence)),
    OPTION({"--timeout"}, "SECONDS", PITOT_REPEAT, OPTION_NUMBER, "... or after so long; 600",
           .least = 1, .most = SECONDS_MOST, .what = "--timeout", .unit = "seconds", AT(timeout)),
    OPTION({"--shake"}, "SEED", SHAKEN, OPTION_NUMBER,
           "stops CPUs for moments at calls, atomic instructions and unlocks, chosen by SEED, "
           "which repeat raises for each run",
           .least = 1, AT(shake)),
    OPTION({"--kernel"}, "ELF", ALL, OPTION_TEXT, "the kernel's file; what QEMU's -kernel names",
           AT(kernel)),
    OPTION({"--alloc"}, "F[:SIZE[@OUT]]", PITOT_HEAP, OPTION_TEXT,
           "an allocator, instead of those with known names; its size: argument 1, or as in 1*2, "
           "4096<<1, [1+24/4]",
           OPTION_ADDS, .set = add_event, AT(alloc)),
    OPTION({"--realloc"}, "F[:OBJECT:SIZE[:OLD]]", PITOT_HEAP, OPTION_TEXT,
           "... that changes an object's size; arguments 1 and 2; OLD: its size so far",
           OPTION_ADDS, .set = add_event, AT(realloc)),
    OPTION({"--free"}, "F[:OBJECT[:SIZE]]", PITOT_HEAP, OPTION_TEXT,
           "... that takes objects back; argument 1; SIZE: its size, for --guard", OPTION_ADDS,
           .set = add_event, AT(free)),
    OPTION({"--allocator"}, "GLOB", PITOT_HEAP, OPTION_TEXT,
           "more functions of the allocators, which may access what is beside objects", OPTION_ADDS,
           .set = add_event, AT(allocator)),
    OPTION({"--sync"}, "SYMBOL", PITOT_RACE, OPTION_TEXT,
           "a variable that CPUs may access at the same time, or a function that accesses such "
           "ones; a glob",
           OPTION_ADDS, .set = add_event, AT(sync)),
    OPTION({"--seed"}, "N", PITOT_RACE, OPTION_NUMBER, "chooses where CPUs stop; random",
           .least = 1, AT(seed)),
    OPTION({"--every"}, "N", PITOT_RACE, OPTION_NUMBER,
           "a CPU looks for a place to stop every N accesses; 250", .least = 1, .most = EVERY_MOST,
           .what = "--every", .unit = "accesses", AT(every)),
    OPTION({"--suppress"}, "FILE", PITOT_HEAP | PITOT_RACE, OPTION_TEXT,
           "lines of functions, innermost first, as a < b_*: reports that are not told",
           AT(suppress)),
    OPTION({"--leaks"}, "BYTES", PITOT_HEAP, OPTION_NUMBER,
           "lists who allocated what is live at the end, from so many bytes on", .least = 1,
           AT(leaks)),
    OPTION({"--lock"}, "F[:LOCK]", LOCKED, OPTION_TEXT,
           "a function that takes a lock, instead of those with known names; which argument the "
           "lock is, or its variable",
           OPTION_ADDS, .set = add_event, AT(lock)),
    OPTION({"--mutex"}, "F[:LOCK]", LOCKED, OPTION_TEXT, "... in which a thread may sleep",
           OPTION_ADDS, .set = add_event, AT(mutex)),
    OPTION({"--trylock"}, "F[:LOCK][=0]", LOCKED, OPTION_TEXT,
           "... that does not wait: returns true, or with =0 zero, if it has taken the lock",
           OPTION_ADDS, .set = add_event, AT(trylock)),
    OPTION({"--unlock"}, "F[:LOCK]", LOCKED, OPTION_TEXT, "... that gives it back", OPTION_ADDS,
           .set = add_event, AT(unlock)),
    OPTION({"--lock-init"}, "F[:LOCK]", LOCKED, OPTION_TEXT, "... that makes a new lock",
           OPTION_ADDS, .set = add_event, AT(lock_init)),
    OPTION({"--wake"}, "F[:VALUE]", PITOT_TRACE, OPTION_TEXT,
           "a function that makes threads runnable; which argument says which, or a variable",
           OPTION_ADDS, .set = add_event, AT(wake)),
    OPTION({"--wait"}, "F[:VALUE]", PITOT_TRACE, OPTION_TEXT,
           "... a function in which a thread waits until --wake is called with the same value",
           OPTION_ADDS, .set = add_event, AT(wait)),
    OPTION({"-n"}, "N", PITOT_LOCKS, OPTION_NUMBER, "how many rows the table has; 20", .least = 1,
           AT(rows)),
    OPTION({"--guard"}, NULL, PITOT_HEAP, OPTION_FLAG,
           "changes the kernel: objects are allocated 16 bytes larger, so that they do not touch "
           "(QEMU 10.2 and later)",
           AT(guard)),
    OPTION({"--quarantine"}, "N", PITOT_HEAP, OPTION_NUMBER,
           "changes the kernel: frees an object only after N others (QEMU 11.0 and later)",
           .least = 1, .most = QUARANTINE_MOST, .what = "--quarantine", .unit = "objects",
           AT(quarantine)),
    OPTION({"--start", "--from"}, "FUNCTION", WINDOWED, OPTION_TEXT,
           "counts and samples from each entry of FUNCTION on", AT(from)),
    OPTION({"--until"}, "FUNCTION", WINDOWED, OPTION_TEXT, "... to the next entry of FUNCTION",
           AT(until)),
    OPTION({"--max"}, "N", SAMPLED | PITOT_HEAP | PITOT_RACE, OPTION_NUMBER,
           "... and N samples or reports at most; of trace events, 1000000", .least = 1, AT(most)),
    OPTION({"--trigger", "--stop"}, "EVENT", SAMPLED, OPTION_EVENTS,
           "an event as with -e; its first hit is the last sample", OPTION_ADDS, .set = add_event,
           AT(stop)),
    OPTION({"--overwrite"}, NULL, SAMPLED, OPTION_FLAG, "keeps the last samples, up to -m",
           AT(overwrite)),
    OPTION({"--symbols"}, "FILE", ALL, OPTION_TEXT,
           "instead of --kernel: the output of nm, or a map of GNU ld", AT(symbols),
           .excludes = "--kernel", .because = "either has the kernel's symbols"),
    OPTION({"-o", "--output"}, "FILE", PITOT_SHOW, OPTION_TEXT,
           "where to write; perf.data.html, or .svg, .folded and others; -: standard output",
           AT(output)),
    OPTION({"-e", "--event"}, "EVENT", PITOT_SHOW, OPTION_TEXT,
           "which of several events, for --svg and --folded; the first of its -e with samples",
           AT(event)),
    OPTION({"--html"}, NULL, PITOT_BLAME | PITOT_GRAPH, OPTION_FLAG,
           "the answer as a page, with source lines beside it; -o: blame.html, graph.html",
           AT(html)),
    OPTION({"--svg"}, NULL, PITOT_SHOW, OPTION_FLAG, "a flame graph as a picture", AT(svg)),
    OPTION({"--folded"}, NULL, PITOT_SHOW, OPTION_FLAG, "a line per call chain: a;b;c WEIGHT",
           AT(folded)),
    OPTION({"--speedscope"}, NULL, PITOT_SHOW, OPTION_FLAG, "for www.speedscope.app",
           AT(speedscope)),
    OPTION({"--firefox"}, NULL, PITOT_SHOW, OPTION_FLAG, "for profiler.firefox.com", AT(firefox)),
    OPTION({"--symbols"}, "FILE", PITOT_SHOW, OPTION_TEXT,
           "a kernel's symbols, as nm prints them, where perf finds none; perf.data.kallsyms",
           AT(symbols)),
    {.names = {NULL}},
};

#define USAGE     "[OPTION]... -- QEMU ARGUMENT..."
#define FUNCTIONS "[OPTION]... FUNCTION... -- QEMU ARGUMENT..."
#define PLACES    "[OPTION]... [PLACE]... [-- QEMU ARGUMENT...]"
#define RECORDING "[OPTION]... [FILE]"

#define COMMAND(its_name, its_usage, does, bit)                                                    \
    {                                                                                              \
        .name = its_name, .usage = its_usage, .summary = does, .row = rows, .command = bit,        \
        .others = "an option of another command", .workload = true,                                \
    }

const struct options options_record =
    COMMAND("record", USAGE, "samples a kernel in QEMU, into perf.data", PITOT_RECORD);
const struct options options_stat =
    COMMAND("stat", USAGE, "counts what a kernel in QEMU does", PITOT_STAT);
const struct options options_blame =
    COMMAND("blame", PLACES, "prints the last writers of a place of memory", PITOT_BLAME);
const struct options options_cover =
    COMMAND("cover", USAGE, "writes which source lines ran, as lcov does", PITOT_COVER);
const struct options options_graph =
    COMMAND("graph", FUNCTIONS, "what functions call, and what each costs", PITOT_GRAPH);
const struct options options_last =
    COMMAND("last", USAGE, "the last calls of each CPU before the end", PITOT_LAST);

const struct options options_trace =
    COMMAND("trace", "[OPTION]... [-i FILE] [-- QEMU ARGUMENT...]",
            "who ran when, as a timeline for Perfetto and others", PITOT_TRACE);

const struct options options_race =
    COMMAND("race", "[OPTION]... [-i FILE...] [-- QEMU ARGUMENT...]",
            "finds races between CPUs, and with interrupts", PITOT_RACE);
const struct options options_repeat =
    COMMAND("repeat", USAGE, "runs a kernel many times, shaken: how often it panics or hangs",
            PITOT_REPEAT);
const struct options options_heap =
    COMMAND("heap", USAGE, "finds uses after free, overruns, double frees and leaks", PITOT_HEAP);

const struct options options_locks = COMMAND(
    "locks", USAGE, "waits, holds and order of locks, and what would deadlock", PITOT_LOCKS);

const struct options options_show =
    COMMAND("show", RECORDING, "draws a recording, perf.data, as an HTML page", PITOT_SHOW);

/*
 * Reads places and options up to --, from the first place on. Returns the index after it, or a
 * negative errno.
 */
static int read_places(const struct options *of, int at, int argc, char **argv,
                       struct pitot_options *options, struct refusal *why)
{
    int more = 0;

    for (; at < argc && strcmp(argv[at - 1], "--") != 0; at += more) {
        if (options->place_count == PLACES_MOST)
            return refuse(why, EINVAL, "more than %u places", PLACES_MOST);
        options->places[options->place_count++] = argv[at];
        more = options_parse(of, argc - at, argv + at, options, why);
        if (more < 0)
            return more;
    }
    return at;
}

/* Reads functions and options up to --. Returns the index after it, or a negative errno. */
static int read_functions(const struct options *of, int at, int argc, char **argv,
                          struct pitot_options *options, struct refusal *why)
{
    int more = 0;

    for (; at < argc && strcmp(argv[at - 1], "--") != 0; at += more) {
        int error = add_function(&options->events, argv[at], argv[at], why);

        if (error)
            return error;
        more = options_parse(of, argc - at, argv + at, options, why);
        if (more < 0)
            return more;
    }
    return options->events.count > 0
               ? at
               : refuse(why, EINVAL, "no function; pitot %s %s", of->name, of->usage);
}

/*
 * With places and QEMU, blame prints histories; with QEMU alone, it writes the writers of all
 * memory to a file; with places alone, it reads that file.
 */
static int check_blame(const struct pitot_options *options, struct refusal *why)
{
    bool places = options->place_count > 0, runs = options->qemu;

    if (!places && !runs)
        return refuse(why, EINVAL, "no PLACE and no QEMU command; pitot help blame");
    if (options->writes && !(places && runs))
        return refuse(why, EINVAL, "-n: a file has only the last writers; give PLACE and -- QEMU");
    if (options->html && !places)
        return refuse(why, EINVAL,
                      "--html is the answer about a PLACE; without one, a file is written, and "
                      "pitot blame --html PLACE reads it");
    if ((options->memory || (options->output && !options->html)) && (places || !runs))
        return refuse(why, EINVAL, "%s is for all memory; give -- QEMU and no PLACE",
                      options->memory ? "-m" : "-o");
    if (options->memory && options->memory < MEMORY_LEAST)
        return refuse(why, EINVAL, "-m: at least %uK are needed", MEMORY_LEAST >> 10);
    if (options->input && runs)
        return refuse(why, EINVAL, "-i reads a file; leave out -- QEMU");
    return 0;
}

static int check_show(const struct pitot_options *options, struct refusal *why)
{
    int forms = options->svg + options->folded + options->speedscope + options->firefox;

    if (options->qemu)
        return refuse(why, EINVAL, "a file is read, without QEMU; pitot record --show runs it");
    if (options->place_count > 1)
        return refuse(why, EINVAL, "\"%s\": one file at a time", options->places[1]);
    if (forms > 1)
        return refuse(why, EINVAL, "one of --svg, --folded, --speedscope and --firefox");
    if (options->event && !options->svg && !options->folded)
        return refuse(why, EINVAL, "-e is for --svg and --folded; the other forms have all events");
    return 0;
}

/* With QEMU, race writes a file; with files, it adds them up. */
static int check_race(const struct pitot_options *options, struct refusal *why)
{
    bool files = options->input, runs = options->qemu;

    if (!files && options->place_count > 0)
        return refuse(why, EINVAL, "\"%s\": -i %s adds up files; -- comes before QEMU",
                      options->places[0], options->places[0]);
    if (files && runs)
        return refuse(why, EINVAL, "-i reads files; leave out -- QEMU");
    if (!files && !runs)
        return refuse(why, EINVAL, "no QEMU command and no -i FILE; pitot help race");
    if (files && (options->kernel || options->symbols || options->seed || options->every ||
                  options->suppress || options->sync.count))
        return refuse(why, EINVAL, "%s is for a run; leave out -i",
                      options->kernel     ? "--kernel"
                      : options->symbols  ? "--symbols"
                      : options->seed     ? "--seed"
                      : options->every    ? "--every"
                      : options->suppress ? "--suppress"
                                          : "--sync");
    return 0;
}

bool pitot_options_have_locks(const struct pitot_options *options)
{
    return options->lock.count || options->mutex.count || options->trylock.count ||
           options->unlock.count || options->lock_init.count;
}

/* With QEMU, trace follows a kernel; with a file, it reads what was recorded. */
static int check_trace(const struct pitot_options *options, struct refusal *why)
{
    bool runs = options->qemu;

    if (options->input && runs)
        return refuse(why, EINVAL, "-i reads a file; leave out -- QEMU");
    if (!options->input && !runs)
        return refuse(why, EINVAL, "no QEMU command and no -i FILE; pitot help trace");
    if (options->overwrite && options->most)
        return refuse(why, EINVAL, "--max keeps the first events, --overwrite the last; give one");
    if (options->memory && options->memory < MEMORY_LEAST)
        return refuse(why, EINVAL, "-m: at least %uK are needed", MEMORY_LEAST >> 10);
    if (runs && options->registers && !options->events.count && !options->stop.count)
        return refuse(why, EINVAL, "-I gives the values of markers; add -e call: or return:");
    if (runs && options->wait.count && !options->wake.count)
        return refuse(why, EINVAL, "--wait %s: --wake names what ends it", options->wait.text[0]);
    if (options->input &&
        (options->events.count || options->functions.count || options->stop.count ||
         options->levels || options->least || options->from || options->until || options->most ||
         options->overwrite || options->registers || options->kernel || options->symbols ||
         pitot_options_have_locks(options) || options->wake.count || options->wait.count))
        return refuse(why, EINVAL, "-i: the whole recording is read; only -o may be given");
    return 0;
}

int pitot_options_read(const struct options *of, int argc, char **argv,
                       struct pitot_options *options, struct refusal *why)
{
    int at;

    *options = (struct pitot_options){.depth = DEPTH,
                                      .calls = LAST,
                                      .rows = ROWS,
                                      .runs = RUNS,
                                      .pattern = PATTERN,
                                      .silence = SILENCE,
                                      .timeout = TIMEOUT};
    at = options_parse(of, argc, argv, options, why);
    if (at >= 0 && (of->command & (PITOT_BLAME | PITOT_RACE | PITOT_SHOW)))
        at = read_places(of, at, argc, argv, options, why);
    if (at >= 0 && of->command == PITOT_GRAPH)
        at = read_functions(of, at, argc, argv, options, why);
    if (at < 0)
        return at;
    if (of->command & SAMPLED && options->memory && !options->overwrite)
        return refuse(why, EINVAL, "-m is the size of what --overwrite keeps; add --overwrite");
    options->qemu = at < argc ? argv + at : NULL;
    if (of->command == PITOT_SHOW)
        return check_show(options, why);
    if (options->show && options->output && strcmp(options->output, "-") == 0)
        return refuse(why, EINVAL, "--show draws a file; leave out -o -");
    if (of->command != PITOT_RECORD && options->output && strcmp(options->output, "-") == 0)
        return refuse(why, EINVAL, "-o -: pitot %s writes a file; give its name", of->name);
    if (of->command == PITOT_BLAME)
        return check_blame(options, why);
    if (of->command == PITOT_RACE)
        return check_race(options, why);
    if (of->command == PITOT_GRAPH && options->output && !options->html)
        return refuse(why, EINVAL, "-o names a page; add --html");
    if (of->command == PITOT_TRACE)
        return check_trace(options, why);
    if (!options->qemu)
        return refuse(why, EINVAL, "no QEMU command; pitot %s %s", of->name, of->usage);
    return 0;
}
