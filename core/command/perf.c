/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's `perf`: which part of it is asked for, and what its help says. Task context.
 */
#include "core/command/list.h"
#include "core/command/record.h"
#include "core/command/report.h"
#include "core/command/trace.h"
#include "core/console/command.h"
#include "core/lib/string.h"
#include "core/option/parts.h"
#include "core/recording/recording.h"

static const struct part {
    const char *name;
    int (*run)(int argc, char **argv);
    bool any_time; /* also while a recording runs */
} parts[] = {
    {"list", perf_list, true},     {"record", perf_record, false}, {"report", perf_report, true},
    {"script", perf_script, true}, {"stat", perf_stat, false},     {"trace", perf_trace, false},
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

/*
 * What is left to the real perf, and its command line for a recording on the host; NULL: that one
 * watches the machine on which it runs, and reads no recording. tests/boot/linux_tools.t runs each.
 */
static const struct host_part {
    const char *name, *line;
} host_parts[] = {
    {"annotate", "perf annotate -i build/perf.data --vmlinux=build/pitot.elf"},
    {"archive", "perf buildid-cache -a build/pitot.elf; perf archive build/perf.data"},
    {"buildid-list", "perf buildid-list -i build/perf.data"},
    {"data", "perf data convert --force --to-json build/perf.json -i build/perf.data"},
    {"diff", "perf diff build/perf.data.old build/perf.data"},
    {"evlist", "perf evlist -i build/perf.data"},
    {"inject", "perf inject -b -i build/perf.data -o build/injected.data"},
    {"kmem", "perf kmem -i build/perf.data --page stat"},
    {"kwork", "perf kwork report -i build/perf.data"},
    {"lock", "perf lock report -i build/perf.data"},
    {"sched", "perf sched latency -i build/perf.data"},
    {"timechart", "perf timechart -i build/perf.data -o build/timechart.svg"},
    {"top", NULL},
};

static const struct host_part *host_part_find(const char *name)
{
    for (size_t i = 0; i < sizeof(host_parts) / sizeof(host_parts[0]); i++)
        if (strcmp(host_parts[i].name, name) == 0)
            return &host_parts[i];
    return NULL;
}

static const struct part *part_find(const char *name)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    return NULL;
}

static int refuse_part(const char *name)
{
    const struct host_part *there = host_part_find(name);

    if (there && there->line)
        print("perf %s: the real perf has it: on the host, tools/perf-file build/com2.bin "
              "build/perf.data; %s\n",
              name, there->line);
    else if (there)
        print("perf %s: not possible while the kernel runs: perf record takes samples, and perf "
              "report shows them\n",
              name);
    else
        print("perf: \"%s\" is not a perf command; there are list, record, report, script, stat, "
              "trace\n",
              name);
    return -EINVAL;
}

/* As the workload of a recording, which is the machine's one. */
static int perf_run_part(const struct part *part, int argc, char **argv)
{
    if (recording_runs() && !part->any_time) {
        print("perf %s: a recording is running already; it ends with its workload\n", argv[0]);
        return -EBUSY;
    }
    return part->run(argc, argv);
}

static int perf_run(int argc, char **argv)
{
    const struct part *part = argc > 1 ? part_find(argv[1]) : NULL;

    if (part)
        return perf_run_part(part, argc - 1, argv + 1);
    if (argc > 1)
        return refuse_part(argv[1]);
    print("usage: perf list | record | report | script | stat | trace\n");
    return -EINVAL;
}

static int perf_help(const char *name)
{
    const struct options *part = perf_part_find(name, strlen(name));

    if (!part)
        return refuse_part(name);
    print("perf %s %s\n    %s\n", part->name, part->usage, part->summary);
    options_help(part, command_output());
    return 0;
}

COMMAND(perf_command) = {
    .name = "perf",
    .usage = "list | record | report | script | stat | trace",
    .summary = "record and read hits of breakpoints, tracepoints, the clock; trace system calls",
    .run = perf_run,
    .help = perf_help,
};
