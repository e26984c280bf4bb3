/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's `perf`: which part of it is asked for, and the parts that only read. Task context.
 */
#include "core/command/list.h"
#include "core/command/record.h"
#include "core/command/trace.h"
#include "core/console/command.h"
#include "core/console/interruptible.h"
#include "core/host.h"
#include "core/lib/string.h"
#include "core/recording/recording.h"
#include "core/report/options.h"
#include "core/script/dump.h"
#include "core/script/options.h"
#include "core/stream/drain.h"

/* Bytes that a report works in: as many as there are, from the first down, by halves. */
#define REPORT_MOST  (16u << 20)
#define REPORT_LEAST (64u << 10)

static struct record_source *last_recording(const char *part)
{
    struct record_source *source = recording_source();

    if (!source)
        print("perf %s: nothing is recorded; `perf record -e EVENT -- COMMAND` does that\n", part);
    else if (drain_given_back())
        print("perf %s: the first %llu records are in the stream only\n", part,
              (unsigned long long)drain_given_back());
    return source;
}

/* `perf report -D` */
static int dump(struct record_source *source)
{
    struct interruptible records = interruptible_records(source);

    record_dump_print(command_output(), &records.source);
    return command_interrupted() ? -EINTR : 0;
}

static int perf_report(int argc, char **argv)
{
    struct report_options options;
    struct refusal why;
    struct record_source *source = last_recording("report");
    struct interruptible records;
    size_t bytes = REPORT_MOST;
    void *memory;
    int error;

    if (!source)
        return -ENODATA;
    error = report_options_parse(argc, argv, &options, &why);
    if (!error)
        error = report_possible(source, &options, &why);
    if (error) {
        print("perf report: %s\n", why.text);
        return error;
    }
    if (options.dump)
        return dump(source);
    if (!host.memory_take) {
        print("perf report: the host of Pitot gives no memory\n");
        return -ENOMEM;
    }
    while (!(memory = host.memory_take(bytes, &why)) && bytes > REPORT_LEAST)
        bytes /= 2;
    if (!memory) {
        print("perf report: no memory to work in: %s\n", why.text);
        return -ENOMEM;
    }
    records = interruptible_records(source);
    error = report_print(command_output(), &records.source, &options, memory, bytes);
    host.memory_give(memory, bytes);
    return command_interrupted() ? -EINTR : error;
}

static int perf_script(int argc, char **argv)
{
    struct script_options options;
    struct refusal why;
    struct record_source *source = last_recording("script");
    struct interruptible records;
    size_t printed;
    bool more;
    int error;

    if (!source)
        return -ENODATA;
    error = script_options_parse(argc, argv, &options, &why);
    if (error) {
        print("perf script: %s\n", why.text);
        return error;
    }
    records = interruptible_records(source);
    printed = script_print(command_output(), &records.source, &options, &more);
    if (command_interrupted())
        return -EINTR;
    if (printed == 0)
        print("perf script: the recording has no samples\n");
    else if (more)
        print("perf script: these are the first %zu samples; there are more\n", printed);
    return 0;
}

static const struct part {
    const char *name;
    int (*run)(int argc, char **argv);
    bool any_time; /* also while a recording runs */
    const char *usage, *summary;
} parts[] = {
    {"list", perf_list, true, "[PATTERN]...", "the events, and who holds the debug registers"},
    {"record", perf_record, false,
     "[-e EVENT[,EVENT]...] [--filter EXPRESSION] [--no-raw-samples] [-g] [--call-graph "
     "orc|fp|no]\n"
     "    [--skip N] [--verify-chain] [-c N | -F HZ] [--intr-regs] [-m SIZE] [--overwrite] [-z]\n"
     "    [--by comm|cpu|caller|FIELD] [--hist FIELD] [--from EVENT --to EVENT [--key FIELD]]\n"
     "    [--trigger EVENT] [--start EVENT] [-p PID] "
     "[-C CPUS] [-a] [-f] [-- COMMAND]",
     "samples until COMMAND ends, or until ^C; without -e, of cpu-clock"},
    {"report", perf_report, true,
     "[-g [graph|fractal|caller|callee|PERCENT[,WORD]... | none]]\n"
     "    [--sort sym|comm|cpu|dso|pid|FIELD[,KEY]...] [--max-stack N] [-n] [-D]",
     "where the samples of the last recording were, and how it got there"},
    {"script", perf_script, true, "[-F iregs] [--max-stack N] [--max-events N]",
     "each sample of the last recording"},
    {"stat", perf_stat, false,
     "[-e EVENT[,EVENT]...] [--filter EXPRESSION] [--by comm|cpu|caller|FIELD] [--hist FIELD]\n"
     "    [--from EVENT --to EVENT [--key FIELD]] [--start EVENT] [-p PID] [-C CPUS] [-a]\n"
     "    [-r N | -I MS] [-- COMMAND]",
     "counts hits until COMMAND ends, or until ^C"},
    {"trace", perf_trace, false,
     "[-e CALL[,CALL]...] [-s | -S] [-m SIZE] [--overwrite] [-p PID] [--] COMMAND",
     "the system calls of a program"},
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
        print("perf %s: not while it runs: perf record takes samples, and perf report shows them\n",
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
    const struct part *part = part_find(name);

    if (!part)
        return refuse_part(name);
    print("perf %s %s\n    %s\n", part->name, part->usage, part->summary);
    return 0;
}

COMMAND(perf_command) = {
    .name = "perf",
    .usage = "list | record | report | script | stat | trace",
    .summary = "record and read hits of breakpoints, tracepoints, the clock; trace system calls",
    .run = perf_run,
    .help = perf_help,
};
