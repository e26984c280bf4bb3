/* SPDX-License-Identifier: BSD-2-Clause */
/* See branches.h. */
#include "core/option/branches.h"

#include <linux/hw_breakpoint.h>

#include "arch/memory.h"
#include "arch/step.h"

static int check_opener(const struct event_spec *event, struct refusal *why)
{
    if (event->start && !event->source->watches)
        return refuse(why, EINVAL,
                      "--start %s: only a breakpoint opens the window of branches, for example "
                      "mem:fs_write:x",
                      event->name);
    if (event->window.instructions && !event->source->follows)
        return refuse(why, EINVAL, "window=: only -e branches has this term, %s has not",
                      event->name);
    return 0;
}

static bool watches_data(const struct event_spec *event)
{
    return event->source->watches && event->attr.bp_type != HW_BREAKPOINT_X;
}

/* A --start has no effect while the window is open: what it opens is open already. */
static int check_beside(const struct event_spec *event, bool program, struct refusal *why)
{
    bool concerned = !program || event->attr.bp_addr < ARCH_USER_END;

    if (concerned && program && watches_data(event) && arch_step_excludes_watches())
        return refuse(why, EINVAL,
                      "%s: QEMU's TCG loses its way where a stepped instruction makes a watched "
                      "access: with branches:u, a program's code and the kernel's data can be "
                      "watched, but not the program's data",
                      event->name);
    if (concerned && !event->start && watches_data(event) && arch_step_excludes_watches())
        return refuse(why, EINVAL,
                      "%s: QEMU's TCG loses its way where a stepped instruction makes a watched "
                      "access: with branches, data can be watched by --start only",
                      event->name);
    return 0;
}

/* A record holds only where the branch was and where it led, to be as short as possible. */
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
                      "-F: branches have no frequency; -c N takes every N-th branch; give another "
                      "event its own frequency: EVENT/freq=HZ/");
    if (attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR))
        return refuse(why, EINVAL,
                      "a branch has no call chain and no registers, only from and to; other events "
                      "can have them by terms of their own");
    return 0;
}

int branches_choose(struct event_spec *events, unsigned count, struct refusal *why)
{
    struct event_spec *branches = NULL;
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
        error = check_beside(&events[i], branches->attr.exclude_kernel, why);
    return error;
}
