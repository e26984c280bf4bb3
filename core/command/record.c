/* SPDX-License-Identifier: BSD-2-Clause */
/* See record.h. */
#include "core/command/record.h"

#include "core/command/command.h"
#include "core/command/hints.h"
#include "core/command/workload.h"
#include "core/host.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/source/branches.h"
#include "core/stream/drain.h"
#include "core/unwind/verify.h"

/*
 * Hits come no faster than this on any machine that is not flooding; perf.rate= changes it, 0 lifts
 * it.
 */
#define RATE_DEFAULT 1000000

static struct perf_options options;  /* task context, one command at a time: large */
static bool booting;                 /* a recording of perf.boot is running */
static uint64_t rate = RATE_DEFAULT; /* set at boot */

static int say(const char *command, const struct refusal *why, int error)
{
    print("perf %s: %s\n", command, why->text);
    return error;
}

static void rename_task(const char *name)
{
    if (host.task_rename)
        host.task_rename(name);
}

static void finish(void)
{
    recording_stop();
    rename_task(NULL);
}

static bool has_trigger(void)
{
    const struct recording_options *recording = &options.recording;
    bool any = false;

    for (unsigned i = 0; i < recording->event_count; i++)
        any |= recording->events[i].trigger;
    return any;
}

static const struct event_spec *stepping_event(void)
{
    const struct recording_options *recording = &options.recording;

    for (unsigned i = 0; i < recording->event_count; i++)
        if (recording->events[i].source->follows)
            return &recording->events[i];
    return NULL;
}

static void print_stepping(void)
{
    struct branches_counts counts = branches_counts();

    if (!stepping_event())
        return;
    print(", %llu instructions stepped", (unsigned long long)counts.steps);
    if (stepping_event()->window.started)
        print(" in %llu windows", (unsigned long long)counts.windows);
}

/* How the word behind a number ends. */
static const char *plural(unsigned long long number)
{
    return number == 1 ? "" : "s";
}

static void print_summary(void)
{
    struct recording_counts counts = recording_counts();
    uint64_t kept = counts.produced - counts.dropped - counts.overwritten;

    print("[ perf record: %llu records kept", (unsigned long long)kept);
    if (counts.dropped)
        print(", %llu lost for want of room (-m takes more)", (unsigned long long)counts.dropped);
    if (counts.overwritten)
        print(", %llu overwritten", (unsigned long long)counts.overwritten);
    if (drain_given_back())
        print(", %llu of them in the stream only", (unsigned long long)drain_given_back());
    print_stepping();
    if (recording_ended_by())
        print(", ended by %s", recording_ended_by());
    else if (has_trigger())
        print(", no hit of the trigger");
    if (counts.throttled)
        print(", %llu hit%s throttled (perf.rate=)", (unsigned long long)counts.throttled,
              plural(counts.throttled));
    if (counts.nested)
        print(", %llu hit%s of tracepoints inside a recorded one",
              (unsigned long long)counts.nested, plural(counts.nested));
    if (counts.foreign)
        print(", %llu hit%s of other threads left out (-a has them)",
              (unsigned long long)counts.foreign, plural(counts.foreign));
    if (counts.drained)
        print(", %llu hit%s raised by the stream's own thread", (unsigned long long)counts.drained,
              plural(counts.drained));
    if (counts.nameless)
        print(", %llu thread%s without a name", (unsigned long long)counts.nameless,
              plural(counts.nameless));
    print(" ]\n");
}

/* Watches that were off have missed hits: counts and samples are too few. */
static void print_lapses(const char *command)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (recording_lapses(cpu))
            print("perf %s: CPU %u has missed hits: its watches were found off, %llu times\n",
                  command, cpu, (unsigned long long)recording_lapses(cpu));
}

#define KIB 1024

static void show_progress(unsigned long done, unsigned long total)
{
    command_progress("perf record: KiB streamed", done / KIB, total / KIB);
}

/* Counts and samples may be too few then: docs/breakpoints.md, "Whose hit it was". */
static void print_doubtful(void)
{
    struct record_source *source = recording_source();

    for (size_t i = 0; i < source->event_count; i++)
        if (source->events[i].doubtful)
            print("perf record: %s is not exact: up to %llu hits more may have been its\n",
                  source->events[i].name, (unsigned long long)source->events[i].doubtful);
}

/* What a recording leaves behind: its stream and what there is to say of it. */
static void hand_over(void)
{
    finish();
    drain_finish(show_progress);
    print_summary();
    print_lapses("record");
    print_doubtful();
    record_hints_clock(&options.recording);
    if (options.verify)
        verify_chain_print(print_console());
}

/* Where the boot is the workload nobody gives one. */
static int check_stepping(bool at_boot, struct refusal *why)
{
    const struct event_spec *event = stepping_event();

    if (event && event->attr.exclude_kernel && at_boot)
        return refuse(why, EINVAL, "%s: the boot runs no program", event->name);
    if (!event || event->window.started || event->attr.exclude_kernel || options.workload ||
        at_boot)
        return 0;
    return refuse(why, EINVAL,
                  "%s: of what? -- COMMAND is stepped, -p PID, or what follows --start EVENT",
                  event->name);
}

/* -p is of all events, or of none. */
static int check_threads(struct refusal *why)
{
    uint32_t pid = options.recording.events[0].pid;
    enum host_task found;

    if (!pid)
        return 0;
    found = host.task_find ? host.task_find(pid) : HOST_TASK_NONE;
    if (found == HOST_TASK_NONE)
        return refuse(why, ESRCH, "-p %u: no such thread; `ps` lists them", pid);
    if (stepping_event() && found != HOST_TASK_OF_PROGRAM)
        return refuse(why, EINVAL, "-p %u: a thread of the kernel's own; %s is of programs", pid,
                      stepping_event()->name);
    return 0;
}

/* The workload's name is the task's while it runs, as a process's would be. */
static int start(int argc, char **argv, bool at_boot, struct refusal *why)
{
    int error = perf_options_parse(argc, argv, &options, why);

    options.recording.rate = rate;
    if (!error && strcmp(argv[0], "stat") == 0)
        options.recording.ring_size = 0;
    if (!error)
        error = check_stepping(at_boot, why);
    if (!error && options.workload && !command_find(options.workload[0]))
        error = refuse(why, ENOENT, "workload \"%s\" is not a command; `help` lists them",
                       options.workload[0]);
    if (!error)
        error = check_threads(why);
    if (error)
        return error;
    if (!at_boot)
        workload_follow(&options);
    verify_chain_reset();
    if (options.workload)
        rename_task(options.workload[0]);
    error = recording_start(&options.recording, why);
    if (error)
        rename_task(NULL);
    return error;
}

int perf_record(int argc, char **argv)
{
    struct refusal why;
    int error = start(argc, argv, false, &why), status;

    if (error)
        return say("record", &why, error);
    record_hints_code("record", &options.recording);
    record_hints_watches("record", &options.recording);
    drain_start();
    status = workload_run(&options);
    hand_over();
    return status;
}

/* As perf prints it: a clock counts nanoseconds, which a person reads as milliseconds. */
static void print_count(const struct recorded_event *event, bool time)
{
    unsigned long long count = event->count, hundredths = (count + 5000) / 10000;

    if (time) {
        print("%15llu.%02llu msec %s\n", hundredths / 100, hundredths % 100, event->name);
        return;
    }
    print("%18llu      %s", count, event->name);
    if (event->doubtful)
        print("  (not exact: up to %llu more)", (unsigned long long)event->doubtful);
    print("\n");
}

static void print_foreign(void)
{
    unsigned long long foreign = recording_counts().foreign;

    if (foreign)
        print(" %llu hit%s of other threads left out (-a has them)\n\n", foreign, plural(foreign));
}

int perf_stat(int argc, char **argv)
{
    struct record_source *source;
    struct refusal why;
    uint64_t begin;
    int error = start(argc, argv, false, &why), status;

    if (error)
        return say("stat", &why, error);
    record_hints_code("stat", &options.recording);
    record_hints_watches("stat", &options.recording);
    begin = arch_clock_ns();
    status = workload_run(&options);
    begin = arch_clock_ns() - begin;
    finish();
    source = recording_source();
    print("\n Performance counter stats for '%s':\n\n", recording_comm());
    for (size_t i = 0; i < source->event_count; i++)
        print_count(&source->events[i], options.recording.events[i].source->counts_time);
    print("\n%8llu.%09llu seconds time elapsed\n\n", (unsigned long long)begin / 1000000000,
          (unsigned long long)begin % 1000000000);
    print_foreign();
    print_lapses("stat");
    return status;
}

void perf_record_set_rate(uint64_t most)
{
    rate = most;
}

void perf_record_boot(char *text)
{
    struct words words;
    struct refusal why;
    int error = words_split(text, &words, &why);

    if (!error && (words.count == 0 || strcmp(words.word[0], "record") != 0))
        error =
            refuse(&why, EINVAL, "\"%s\": it begins with record", words.count ? words.word[0] : "");
    if (!error)
        error = start(words.count, words.word, true, &why);
    if (error) {
        print("perf.boot: %s\n", why.text);
        return;
    }
    booting = true;
    drain_start();
    if (options.workload) {
        print("perf.boot: the boot is the workload; \"%s\" is not run\n", options.workload[0]);
        options.workload = NULL;
    }
    print("perf.boot: %u event%s armed\n", options.recording.event_count,
          plural(options.recording.event_count));
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
