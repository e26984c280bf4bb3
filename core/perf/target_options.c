/* SPDX-License-Identifier: BSD-2-Clause */
/* See target_options.h. */
#include "core/perf/target_options.h"

#include "arch/arch.h"
#include "core/perf/branches_options.h"
#include "core/user/program.h"

static int check_kernel(const struct event_spec *event, struct refusal *why)
{
    if (event->target.program)
        return refuse(why, EINVAL, "%s: 0x%llx is the kernel's, no program's", event->name,
                      (unsigned long long)event->attr.bp_addr);
    if (event->attr.exclude_kernel)
        return refuse(why, EINVAL,
                      "%s: a program cannot touch the kernel's memory: with u there is no hit",
                      event->name);
    return 0;
}

/* An address alone is one of the workload's, or of the process that -p names. */
static int choose_program(struct event_spec *event, const struct target_options *options,
                          struct refusal *why)
{
    event->target.pid = options->pid;
    if (event->target.program || options->pid)
        return 0;
    if (options->workload && options->workload[0] == '/' && program_load)
        event->target.program = program_load(options->workload, why);
    else
        return refuse(why, EINVAL,
                      "%s: programs have this address: whose? mem:/bin/PROGRAM:..., -p PID, or "
                      "-- /bin/PROGRAM says it",
                      event->name);
    return event->target.program ? 0 : -ENOENT;
}

static int choose_breakpoint(struct event_spec *event, const struct target_options *options,
                             struct refusal *why)
{
    if (event->attr.bp_addr >= ARCH_USER_END)
        return check_kernel(event, why);
    if (event->attr.exclude_user)
        return refuse(why, EINVAL,
                      "%s: the kernel reaches a program's memory by addresses of its own: with k "
                      "there is no hit",
                      event->name);
    if (event->start)
        return refuse(why, EINVAL,
                      "--start %s: no program's branches are recorded; a place of the kernel's "
                      "opens their window, a system call's say: mem:sys_open:x",
                      event->name);
    return choose_program(event, options, why);
}

static int check_branches(const struct event_spec *event, uint32_t pid, struct refusal *why)
{
    if (event->attr.exclude_kernel)
        return refuse(why, EINVAL, "%s: programs are not stepped, only the kernel", event->name);
    if (pid)
        return refuse(why, EINVAL, "-p: %s follows the command's own thread", event->name);
    return 0;
}

int targets_choose(struct event_spec *events, unsigned count, const struct target_options *options,
                   struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; i < count && !error; i++) {
        events[i].pid = options->pid;
        if (event_is_branches(&events[i].attr))
            error = check_branches(&events[i], options->pid, why);
        else if (events[i].attr.type == PERF_TYPE_BREAKPOINT)
            error = choose_breakpoint(&events[i], options, why);
    }
    return error;
}
