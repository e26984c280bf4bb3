/* SPDX-License-Identifier: BSD-2-Clause */
/* The targets of options.h. */
#include "core/perf/options.h"

#include "arch/memory.h"
#include "core/event/source_branches.h"
#include "core/host.h"
#include "core/lib/string.h"

static int check_kernel(const struct event_spec *event, struct refusal *why)
{
    if (event->target.program)
        return refuse(why, EINVAL,
                      "%s: 0x%llx is not an address of a program: those are from 0x%lx to 0x%lx",
                      event->name, (unsigned long long)event->attr.bp_addr,
                      (unsigned long)ARCH_USER_START, (unsigned long)ARCH_USER_END - 1);
    if (event->attr.exclude_kernel)
        return refuse(why, EINVAL,
                      "%s: a program cannot access this address: with the modifier u there is "
                      "never a hit",
                      event->name);
    return 0;
}

/* An address without a program belongs to the program of -p or, without -p, of the workload. */
static int choose_program(struct event_spec *event, const struct perf_options *options,
                          struct refusal *why)
{
    event->target.pid = options->pid;
    if (event->target.program || options->pid)
        return 0;
    if (options->workload && options->workload[0][0] == '/' && host.program_load)
        event->target.program = host_program(options->workload[0], why);
    else
        return refuse(why, EINVAL,
                      "%s: each program has its own memory at this address; name the program: "
                      "mem:/bin/PROGRAM:..., -p PID, or -- /bin/PROGRAM",
                      event->name);
    return event->target.program ? 0 : -ENOENT;
}

static int choose_breakpoint(struct event_spec *event, const struct perf_options *options,
                             struct refusal *why)
{
    if (!arch_of_programs(event->attr.bp_addr))
        return check_kernel(event, why);
    if (event->attr.exclude_user)
        return refuse(why, EINVAL,
                      "%s: the kernel accesses a program's memory at other addresses: with the "
                      "modifier k there is never a hit",
                      event->name);
    if (event->start)
        return refuse(why, EINVAL,
                      "--start %s: windows open in the kernel, not in a program; give a place in "
                      "the kernel, for example a system call's: mem:sys_open:x",
                      event->name);
    return choose_program(event, options, why);
}

bool target_is_program(const char *word)
{
    return word[0] == '/' || strcmp(word, "run") == 0;
}

/* A breakpoint opens windows in the kernel, even if the workload is a program. */
static int check_windows(const struct event_spec *event, uint32_t pid, struct refusal *why)
{
    if (event->attr.exclude_kernel)
        return refuse(why, EINVAL,
                      "%s: --start opens windows in the kernel%s; to step a program, leave --start "
                      "out",
                      event->name,
                      own_kernel ? ": use branches or branches:k" : ", which is not stepped here");
    if (pid)
        return refuse(
            why, EINVAL,
            "-p cannot be used with --start: the windows of %s follow the thread that opens them",
            event->name);
    return 0;
}

static int make_of_program(struct event_spec *event, struct refusal *why)
{
    static const char name[] = "branches:u";

    if (event->attr.exclude_user)
        return refuse(why, EINVAL,
                      "%s: in a program only its own branches are stepped: use branches:u; for the "
                      "kernel's branches open a window, for example by --start mem:sys_write:x",
                      event->name);
    event->attr.exclude_kernel = 1;
    memcpy(event->name, name, sizeof(name));
    return 0;
}

/*
 * With -p, or if the workload is a program, only branches of program code are recorded, even
 * without the modifier u.
 */
static int choose_branches(struct event_spec *event, const struct perf_options *options,
                           bool started, struct refusal *why)
{
    const char *workload = options->workload ? options->workload[0] : NULL;

    if (started)
        return check_windows(event, options->pid, why);
    if (options->pid || (workload && target_is_program(workload)))
        return make_of_program(event, why);
    if (event->attr.exclude_kernel && workload && !options->all_cpus)
        return refuse(why, EINVAL,
                      "%s: %s runs in the kernel: %sfor programs that run beside it, add -p PID or "
                      "-a",
                      event->name, workload, own_kernel ? "use branches or branches:k; " : "");
    return 0;
}

/*
 * The term `stop` needs an address in a program. Only the program accesses its memory there, so it
 * is running at the hit and can be stopped.
 */
static int check_stop(const struct event_spec *event, struct refusal *why)
{
    if (!event->stop)
        return 0;
    if (!event->source->watches || !arch_of_programs(event->attr.bp_addr))
        return refuse(why, EINVAL,
                      "%s: the term stop is for a breakpoint in a program, for example "
                      "mem:/bin/fs-load:main:x/stop/; --trigger ends a recording",
                      event->name);
    if (!host.program_stop)
        return refuse(why, EINVAL, "%s: the term stop: program_stop of struct pitot_kernel is 0",
                      event->name);
    return 0;
}

int targets_choose(struct perf_options *options, struct refusal *why)
{
    struct event_spec *events = options->recording.events;
    unsigned count = options->recording.event_count;
    bool started = false;
    int error = 0;

    for (unsigned i = 0; i < count; i++)
        started |= events[i].start;
    for (unsigned i = 0; i < count && !error; i++) {
        events[i].pid = options->pid;
        error = check_stop(&events[i], why);
        if (!error && events[i].source->follows)
            error = choose_branches(&events[i], options, started, why);
        else if (!error && events[i].source->watches)
            error = choose_breakpoint(&events[i], options, why);
    }
    for (unsigned i = 0; i < count && !error; i++) {
        events[i].cpus = options->cpus;
        if (options->cpus && events[i].source->follows)
            error = refuse(why, EINVAL, "-C: %s follows a thread, on whichever CPU it runs",
                           events[i].name);
    }
    return error;
}

static int check_opener(const struct event_spec *event, struct refusal *why)
{
    if (event->start && !event->source->watches)
        return refuse(why, EINVAL,
                      "--start %s: only a breakpoint opens the window of branches, for example "
                      "mem:fs_write:x",
                      event->name);
    if (event->window.instructions && !event->source->follows)
        return refuse(why, EINVAL, "window= is a term of -e branches, not of %s", event->name);
    return 0;
}

static int check_branches(const struct event_spec *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->attr;

    if (attr->exclude_kernel && event->window.instructions)
        return refuse(why, EINVAL,
                      "window=: a program is stepped all the way, without windows; %s --overwrite "
                      "keeps the newest branches",
                      event->name);
    if (attr->freq)
        return refuse(why, EINVAL,
                      "-F: not for branches: use -c N (every N-th branch), and EVENT/freq=HZ/ for "
                      "other events");
    if (attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR))
        return refuse(why, EINVAL,
                      "a branch has no call chain and no registers, only from and to; other events "
                      "can have them by terms of their own");
    return 0;
}

int targets_check_branches(struct recording_options *recording, struct refusal *why)
{
    struct event_spec *events = recording->events, *branches = NULL;
    unsigned count = recording->event_count;
    bool started = false;
    int error = 0;

    for (unsigned i = 0; !error && i < count; i++) {
        error = check_opener(&events[i], why);
        started |= events[i].start;
        if (!events[i].source->follows)
            continue;
        if (branches)
            return refuse(why, EINVAL, "branches: a recording can have this event only once");
        branches = &events[i];
    }
    if (!error && !branches && started)
        return refuse(why, EINVAL, "--start opens the window of branches: add -e branches");
    if (error || !branches)
        return error;
    branches->window.started = started;
    error = check_branches(branches, why);
    for (unsigned i = 0; !error && i < count; i++)
        error = branches_check_beside(&events[i], branches->attr.exclude_kernel, why);
    return error;
}
