/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf record` of commands.h. */
#include "core/perf/commands.h"

#include "core/console/command.h"
#include "core/event/source_branches.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/stream/drain.h"
#include "core/unwind/unwind.h"

static const struct perf_options *options; /* of the last recording */
static bool booting;                       /* a perf.boot recording is running */

static bool has_trigger(void)
{
    const struct recording_options *recording = &options->recording;
    bool any = false;

    for (unsigned i = 0; i < recording->event_count; i++)
        any |= recording->events[i].trigger;
    return any;
}

/* Prints nothing if `count` is 0. */
static void print_some(uint64_t count, const char *unit, const char *what)
{
    if (count)
        print(", %llu %s%s %s", (unsigned long long)count, unit, print_plural(count), what);
}

static void print_stepping(void)
{
    struct branches_counts counts = branches_counts();

    if (!session_stepping())
        return;
    print(", %llu instruction%s stepped", (unsigned long long)counts.steps,
          print_plural(counts.steps));
    if (session_stepping()->window.started)
        print(" in %llu window%s", (unsigned long long)counts.windows,
              print_plural(counts.windows));
}

static void print_summary(void)
{
    struct recording_counts counts = recording_counts();
    uint64_t kept = counts.produced - counts.dropped - counts.overwritten;

    print("[ perf record: %llu record%s kept", (unsigned long long)kept, print_plural(kept));
    if (counts.dropped)
        print(", %llu lost, as the rings were full (-m makes them larger)",
              (unsigned long long)counts.dropped);
    if (counts.overwritten)
        print(", %llu overwritten", (unsigned long long)counts.overwritten);
    if (drain_given_back())
        print(", %llu of them in the stream only", (unsigned long long)drain_given_back());
    print_stepping();
    if (recording_ended_by())
        print(", ended by %s", recording_ended_by());
    else if (has_trigger())
        print(", the trigger was not hit");
    print_some(counts.throttled, "hit", "throttled (perf.rate=)");
    print_some(counts.nested, "hit", "of tracepoints inside a recorded one");
    print_some(counts.foreign, "hit", "of other threads left out (-a includes them)");
    print_some(counts.drained, "hit", "raised by the stream's own thread");
    print_some(counts.nameless, "thread", "without a name");
    print(" ]\n");
}

static void show_progress(unsigned long done, unsigned long total)
{
    pitot_progress("perf record: KiB streamed", done / 1024, total / 1024);
}

/* See docs/breakpoints.md, "Whose hit it was". */
static void print_doubtful(void)
{
    struct record_source *source = recording_source();

    for (size_t i = 0; i < source->event_count; i++)
        if (source->events[i].doubtful)
            print("perf record: %s is not exact: up to %llu more hits may belong to it\n",
                  source->events[i].name, (unsigned long long)source->events[i].doubtful);
}

/* Ends a recording: finishes its stream and prints the results. */
static void hand_over(void)
{
    session_end();
    drain_finish(show_progress);
    print_summary();
    aggregates_add();
    aggregates_print(options);
    session_print_lapses("record");
    print_doubtful();
    record_hints_clock(&options->recording);
    if (options->verify)
        verify_chain_print(print_console());
}

static int start(int argc, char **argv, bool at_boot, struct refusal *why)
{
    int error = session_prepare(argc, argv, at_boot, &options, why);

    return error ? error : session_begin(why);
}

int perf_record(int argc, char **argv)
{
    struct refusal why;
    int error = start(argc, argv, false, &why), status;

    if (error) {
        print("perf %s: %s\n", argv[0], why.text);
        return error;
    }
    record_hints_watches("record", &options->recording);
    drain_start();
    status = workload_run();
    hand_over();
    return status;
}

const struct perf_options *perf_record_options(void)
{
    return options;
}

void perf_record_boot(char *text)
{
    struct arguments arguments;
    struct refusal why;
    int error = arguments_split(text, &arguments, &why);

    if (!error && (arguments.count == 0 || strcmp(arguments.value[0], "record") != 0))
        error = refuse(&why, EINVAL, "\"%s\": it must begin with record",
                       arguments.count ? arguments.value[0] : "");
    if (!error)
        error = start(arguments.count, arguments.value, true, &why);
    if (error) {
        print("perf.boot: %s\n", why.text);
        return;
    }
    booting = true;
    drain_start();
    if (options->workload)
        print("perf.boot: the boot is the workload; \"%s\" is not run\n", options->workload[0]);
    print("perf.boot: %u event%s armed\n", options->recording.event_count,
          print_plural(options->recording.event_count));
    branches_workload_begin();
}

void perf_record_boot_end(void)
{
    if (!booting)
        return;
    booting = false;
    branches_workload_end();
    hand_over();
}
