/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's `perf` and its help. Task context. */
#include "core/console/command.h"
#include "core/console/habits.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/perf/commands.h"
#include "core/perf/option_table.h"
#include "core/recording/recording.h"

static const struct part {
    const char *name;
    int (*run)(int argc, char **argv);
    bool any_time; /* may run while a recording runs */
} parts[] = {
    {"list", perf_list, true},     {"record", perf_record, false}, {"report", perf_report, true},
    {"script", perf_script, true}, {"stat", perf_stat, false},     {"trace", perf_trace, false},
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static const struct part *part_find(const char *name)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    return NULL;
}

/* Names for near_write: first Pitot's own subcommands, then perf's others. */
static const char *name_at(size_t index)
{
    return index < PARTS ? parts[index].name : habit_perf_part(index - PARTS);
}

/* `word`: the next word typed, or NULL. */
static int refuse_part(const char *name, const char *word)
{
    const char *const typed[] = {"perf", name, word};
    char answer[HABIT_ANSWER];
    size_t words = habit_answer(typed, word ? 3 : 2, NULL, answer, sizeof(answer));

    if (words < 2) {
        near_write(name, name_at, answer, sizeof(answer));
        print("perf: \"%s\" is not a perf command; %s`help perf` lists them\n", name, answer);
        return -EINVAL;
    }
    print("perf %s%s%s: %s\n", name, words > 2 ? " " : "", words > 2 ? word : "", answer);
    return -EINVAL;
}

/* Prints the help of a subcommand; with NULL, lists the subcommands. */
static int perf_help(const char *name)
{
    const struct options *part = name ? perf_part_find(name, strlen(name)) : NULL;

    if (!part && name)
        return refuse_part(name, NULL);
    for (size_t i = 0; !part && perf_parts[i]; i++)
        print("    %-8s %s\n", perf_parts[i]->name, perf_parts[i]->summary);
    if (!part)
        return 0;
    print("perf %s %s\n    %s\n", part->name, part->usage, part->summary);
    options_help(part, command_output());
    return 0;
}

/* The machine has only one recording, so the workload of a recording cannot start another. */
static int perf_run_part(const struct part *part, int argc, char **argv)
{
    const struct options *options = perf_part_find(argv[0], strlen(argv[0]));

    if (options && options_ask_help(options, argc, argv)) /* NULL: a kernel without that part */
        return perf_help(argv[0]);
    if (recording_runs() && !part->any_time) {
        print("perf %s: a recording is running already; it ends with its workload\n", argv[0]);
        return -EBUSY;
    }
    return part->run(argc, argv);
}

static int perf_run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    const struct part *part = name ? part_find(name) : NULL;

    if (part)
        return perf_run_part(part, argc - 1, argv + 1);
    if (!name) {
        print("usage: perf %s\n", perf_usage);
        return -EINVAL;
    }
    if (strncmp(name, "--", 2) == 0) /* --help, --version */
        name += 2;
    return strcmp(name, "help") == 0 ? perf_help(argv[2]) : refuse_part(name, argv[2]);
}

PITOT_COMMAND_WITH(perf, "perf", perf_usage, perf_summary, perf_run, perf_help, perf_words);
