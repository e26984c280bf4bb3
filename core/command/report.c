/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "core/command/report.h"

#include "core/console/command.h"
#include "core/console/interruptible.h"
#include "core/host.h"
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
        print("perf %s: nothing is recorded; record with `perf record -e EVENT -- COMMAND`\n",
              part);
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

int perf_report(int argc, char **argv)
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

int perf_script(int argc, char **argv)
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
