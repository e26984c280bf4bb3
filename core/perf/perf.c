/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's `perf` and its help. Task context. */
#include "core/console/command.h"
#include "core/console/near.h"
#include "core/event/source.h"
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

/* What to type for perf's other commands. linux_tools.t and first_minute.t run each line. */
static const struct other {
    const char *name, *word; /* the row needs `word` as the next word; NULL: any other */
    const char *host;        /* command line of the real perf on the host; NULL: print `here` */
    const char *here;        /* sentence that says what to do instead */
} others[] = {
    {"annotate", NULL, "perf annotate -i build/perf.data --vmlinux=build/pitot.elf", NULL},
    {"archive", NULL, "perf buildid-cache -a build/pitot.elf; perf archive build/perf.data", NULL},
    {"bench", NULL, NULL, "`help` lists loads to record; make bench on the host measures Pitot"},
    {"buildid-cache", NULL, "perf buildid-cache -a build/pitot.elf", NULL},
    {"buildid-list", NULL, "perf buildid-list -i build/perf.data", NULL},
    {"c2c", NULL, NULL,
     "`perf record -a -e mem:SYMBOL:rw -- COMMAND` has each access to a variable, and `perf report "
     "-s cpu,sym` shows the CPUs"},
    {"config", NULL, NULL,
     "there is no file of settings; perf.rate= and perf.boot= stand on the kernel's command line"},
    {"data", NULL, "perf data convert --force --to-json build/perf.json -i build/perf.data", NULL},
    {"diff", NULL, NULL,
     "it takes two recordings: make perfdata on the host after each, with a copy of the first"},
    {"evlist", NULL, "perf evlist -i build/perf.data", NULL},
    {"ftrace", NULL, NULL,
     "`perf record -e branches -- COMMAND` has each call, `perf stat -e mem:FUNCTION:x -- COMMAND` "
     "counts those of one function"},
    {"inject", NULL, "perf inject -b -i build/perf.data -o build/injected.data", NULL},
    {"kmem", "record", NULL, "`perf record -a -e kmem:* -- COMMAND`"},
    {"kmem", NULL, "perf kmem -i build/perf.data --page stat", NULL},
    {"kwork", "record", NULL, "`perf record -a -e irq:*,workqueue:* -- COMMAND`"},
    {"kwork", NULL, "perf kwork report -i build/perf.data", NULL},
    {"lock", "record", NULL, "`perf record -a -e lock:* -- COMMAND`"},
    {"lock", "contention", "perf lock contention -i build/perf.data", NULL},
    {"lock", NULL, "perf lock report -i build/perf.data", NULL},
    {"mem", NULL, NULL,
     "`perf record -g -e mem:SYMBOL:rw -- COMMAND` has each access to a variable"},
    {"probe", NULL, NULL,
     "`perf record -g -e mem:FUNCTION:x -- COMMAND` needs no probe, and `perf list tracepoint` has "
     "the places that tell more"},
    {"sched", "record", NULL, "`perf record -a -e sched:* -- COMMAND`"},
    {"sched", "map", "perf sched map -i build/perf.data", NULL},
    {"sched", "timehist", "perf sched timehist -i build/perf.data", NULL},
    {"sched", NULL, "perf sched latency -i build/perf.data", NULL},
    {"test", NULL, NULL, "make test on the host"},
    {"timechart", "record", NULL, "`perf record -a -e sched:* -- COMMAND`"},
    {"timechart", NULL, "perf timechart -i build/perf.data -o build/timechart.svg", NULL},
    {"top", NULL, NULL, "`perf record -a -- COMMAND` takes samples, and `perf report` shows them"},
    {"version", NULL, NULL, "Pitot; its streams are perf's of 6.1 and later"},
};
#define OTHERS (sizeof(others) / sizeof(others[0]))

/* `word`: the next word typed, or NULL. */
static const struct other *other_find(const char *name, const char *word)
{
    for (size_t i = 0; i < OTHERS; i++)
        if (strcmp(others[i].name, name) == 0 &&
            (!others[i].word || (word && strcmp(others[i].word, word) == 0)))
            return &others[i];
    return NULL;
}

static const struct part *part_find(const char *name)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    return NULL;
}

/* Names for near_print: first Pitot's own subcommands, then perf's others. */
static const char *name_at(size_t index)
{
    if (index < PARTS)
        return parts[index].name;
    index -= PARTS;
    for (size_t i = 0; i < OTHERS; i++)
        if (!others[i].word && index-- == 0)
            return others[i].name;
    return NULL;
}

static int refuse_part(const char *name, const char *word)
{
    const struct other *other = other_find(name, word);
    bool both = other && other->word;

    if (!other) {
        print("perf: \"%s\" is not a perf command; ", name);
        near_print(name, name_at);
        print("`help perf` lists them\n");
        return -EINVAL;
    }
    print("perf %s%s%s: ", name, both ? " " : "", both ? word : "");
    if (other->host && !event_own_kernel)
        print("the real perf has it: on the host, tools/perf-file STREAM perf.data, of the bytes "
              "that "
              "pitot_host_write gets; then perf %s -i perf.data\n",
              name);
    else if (other->host)
        print("the real perf has it: on the host, tools/perf-file build/com2.bin build/perf.data; "
              "%s\n",
              other->host);
    else
        print("%s\n", other->here);
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

COMMAND(perf_command) = {
    .name = "perf",
    .usage = perf_usage,
    .summary = perf_summary,
    .run = perf_run,
    .help = perf_help,
};
