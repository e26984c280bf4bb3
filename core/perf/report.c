/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf report` and `perf script` of commands.h. */
#include "core/perf/commands.h"

#include "core/console/command.h"
#include "core/host.h"
#include "core/perf/option_table.h"
#include "core/recording/kept.h"
#include "core/recording/recording.h"
#include "core/report/report.h"
#include "core/stream/drain.h"

/* Bytes of working memory for a report: as many as are available between these limits. */
#define REPORT_MOST  (16u << 20)
#define REPORT_LEAST (64u << 10)

static struct record_source *last_recording(const char *part, bool of_last_boot)
{
    struct record_source *source = of_last_boot ? last_source() : recording_source();

    if (!source && of_last_boot)
        print("perf %s: the last boot's recording is not here: %s\n", part, last_missing());
    else if (!source)
        print("perf %s: nothing is recorded; record with `perf record -e EVENT -- COMMAND`\n",
              part);
    else if (!of_last_boot && drain_given_back())
        print("perf %s: the first %llu records are in the stream only\n", part,
              (unsigned long long)drain_given_back());
    return source;
}

static int report(struct record_source *source, const struct report_options *options)
{
    struct interruptible records = interruptible_records(source);
    struct refusal why;
    size_t bytes = REPORT_MOST;
    void *memory;
    int error;

    if (options->dump) {
        record_dump_print(command_output(), &records.source);
        return command_interrupted() ? -EINTR : 0;
    }
    while (!(memory = recording_take(bytes, "no memory to work in", &why)) && bytes > REPORT_LEAST)
        bytes /= 2;
    if (!memory) {
        print("perf report: %s\n", why.text);
        return -ENOMEM;
    }
    error = report_print(command_output(), &records.source, options, memory, bytes);
    host.memory_give(memory, bytes);
    return command_interrupted() ? -EINTR : error;
}

int perf_report(int argc, char **argv)
{
    struct report_options options;
    struct refusal why;
    struct record_source *source;
    int error = report_options_parse(argc, argv, &options, &why);

    source = error ? NULL : last_recording("report", options.last_boot);
    if (!error && !source)
        return -ENODATA;
    if (!error)
        error = report_keys_check(&options.keys, source, &why);
    if (error)
        print("perf report: %s\n", why.text);
    else
        error = report(source, &options);
    last_hide();
    return error;
}

static int script(struct record_source *source, const struct script_options *options)
{
    struct interruptible records = interruptible_records(source);
    bool more;
    size_t printed = script_print(command_output(), &records.source, options, &more);

    if (command_interrupted())
        return -EINTR;
    if (printed == 0)
        print("perf script: the recording has no samples\n");
    else if (more)
        print("perf script: the first %zu sample%s; there are more\n", printed,
              print_plural(printed));
    return 0;
}

int perf_script(int argc, char **argv)
{
    struct script_options options;
    struct refusal why;
    struct record_source *source;
    int error = script_options_parse(argc, argv, &options, &why);

    if (error) {
        print("perf script: %s\n", why.text);
        return error;
    }
    source = last_recording("script", options.last_boot);
    error = source ? script(source, &options) : -ENODATA;
    last_hide();
    return error;
}
