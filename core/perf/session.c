/* SPDX-License-Identifier: BSD-2-Clause */
/* The session of commands.h. */
#include "core/perf/commands.h"

#include "core/console/command.h"
#include "core/console/habits.h"
#include "core/event/source_branches.h"
#include "core/host.h"
#include "core/lib/cpus.h"
#include "core/lib/string.h"
#include "core/perf/options.h"
#include "core/stream/drain.h"
#include "core/unwind/unwind.h"

static struct perf_options options; /* too large for a stack */

/* Maximum samples per second of an event; only a flood of hits exceeds it. perf.rate= sets it. */
static uint64_t rate = 1000000;

static void rename_task(const char *name)
{
    if (host.task_rename)
        host.task_rename(name);
}

const struct event_spec *session_stepping(void)
{
    const struct recording_options *recording = &options.recording;

    for (unsigned i = 0; i < recording->event_count; i++)
        if (recording->events[i].source->follows)
            return &recording->events[i];
    return NULL;
}

static int check_workload(struct refusal *why)
{
    char **words = options.workload, answer[HABIT_ANSWER];

    if (!words || command_find(words[0]))
        return 0;
    if (command_answer(options.workload_count, options.workload, answer, sizeof(answer)))
        return refuse(why, ENOENT, "workload \"%s\" is not a command; %s", words[0], answer);
    return refuse(why, ENOENT, "workload \"%s\" is not a command; `help` lists them", words[0]);
}

static int check_stepping(bool at_boot, struct refusal *why)
{
    const struct event_spec *event = session_stepping();

    if (event && event->attr.exclude_kernel && at_boot)
        return refuse(why, EINVAL, "%s: the boot is the workload, and it runs no program",
                      event->name);
    if (!event || event->window.started || event->attr.exclude_kernel || options.workload ||
        at_boot)
        return 0;
    return refuse(why, EINVAL, "%s: say what to step: -- COMMAND, -p PID, or --start EVENT",
                  event->name);
}

/* Checks the thread of -p, which is the same for all events. */
static int check_threads(struct refusal *why)
{
    uint32_t pid = options.recording.events[0].pid;
    enum pitot_task found;

    if (!pid)
        return 0;
    if (!host.task_find)
        return refuse(why, ENOSYS, "-p: task_find of struct pitot_kernel is 0");
    found = host.task_find(pid);
    if (found == PITOT_TASK_NONE)
        return refuse(why, ESRCH, "-p %u: no such thread%s", pid,
                      command_find("ps") ? "; `ps` lists them" : "");
    if (session_stepping() && found != PITOT_TASK_OF_PROGRAM)
        return refuse(why, EINVAL, "-p %u: this is a kernel thread; %s needs a program's thread",
                      pid, session_stepping()->name);
    return 0;
}

/* Restricts events to the workload's threads; their attributes show this, as in perf. */
static void follow_workload(void)
{
    struct recording_options *recording = &options.recording;

    if (options.all_threads || !host.follow)
        return;
    for (unsigned i = 0; i < recording->event_count; i++) {
        struct event_spec *event = &recording->events[i];
        bool kernel = event->source->follows && !event->attr.exclude_kernel;

        event->followed = !event->pid && !kernel;
        event->attr.inherit = event->followed;
        event->attr.enable_on_exec = event->followed && target_is_program(options.workload[0]);
    }
}

int session_prepare(int argc, char **argv, bool at_boot, const struct perf_options **prepared,
                    struct refusal *why)
{
    int error = perf_options_parse(argc, argv, &options, why);

    options.recording.rate = rate;
    if (!error && strcmp(argv[0], "stat") == 0)
        options.recording.ring_size = 0;
    if (!error)
        error = check_stepping(at_boot, why);
    if (!error)
        error = check_workload(why);
    if (!error)
        error = check_threads(why);
    if (!error && !options.workload && !at_boot && !host.interrupted)
        error = refuse(why, EINVAL, "nothing would end it: add -- COMMAND");
    if (!error)
        error = aggregates_prepare(&options, why);
    if (!error)
        error = trace_sums_take(options.trace.summary, why);
    if (!error && !at_boot)
        follow_workload();
    *prepared = error ? NULL : &options;
    return error;
}

/* While the workload runs, this thread has the workload's name, as a process would. */
int session_begin(struct refusal *why)
{
    int error;

    verify_chain_reset();
    if (options.workload)
        rename_task(options.workload[0]);
    error = recording_start(&options.recording, why);
    if (error)
        rename_task(NULL);
    return error;
}

void session_end(void)
{
    recording_stop();
    rename_task(NULL);
}

void session_print_lapses(const char *command)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (recording_lapses(cpu))
            print("perf %s: CPU %u has missed hits: its debug registers were found disarmed %llu "
                  "time%s\n",
                  command, cpu, (unsigned long long)recording_lapses(cpu),
                  print_plural(recording_lapses(cpu)));
}

void session_tick(void)
{
    drain_tick();
    interval_tick();
}

void session_set_rate(uint64_t most)
{
    rate = most;
}

static void follow(enum pitot_follow which)
{
    if (host.follow)
        host.follow(which);
}

int workload_run(void)
{
    int status;

    if (!options.workload) {
        print("recording until ^C\n");
        command_wait_interrupt();
        return 0;
    }
    follow(target_is_program(options.workload[0]) ? PITOT_FOLLOW_FROM_EXEC : PITOT_FOLLOW);
    branches_workload_begin();
    status = command_run(options.workload_count, options.workload);
    branches_workload_end();
    cpus_park_surely();
    follow(PITOT_FOLLOW_END);
    cpus_release();
    return status;
}
