/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The breakpoint source: perf_event_attr <-> a breakpoint of the arbiter. Its hits run in the debug
 * trap.
 */
#include "core/event/breakpoint.h"

#include <linux/hw_breakpoint.h>

#include "core/event/event.h"

static void event_breakpoint_hit(struct breakpoint *breakpoint, uintptr_t address,
                                 struct regs *regs)
{
    struct event *event = (struct event *)((char *)breakpoint - offsetof(struct event, breakpoint));

    event_hit(event, address, regs);
}

/* Of one that opens the window of branches; its own sample comes before theirs. */
static void event_breakpoint_hit_start(struct breakpoint *breakpoint, uintptr_t address,
                                       struct regs *regs)
{
    event_breakpoint_hit(breakpoint, address, regs);
    branches_open(regs);
}

static enum arch_access event_breakpoint_access(uint32_t type)
{
    if (type == HW_BREAKPOINT_X)
        return ARCH_EXECUTE;
    return type == HW_BREAKPOINT_W ? ARCH_WRITE : ARCH_READ_WRITE;
}

int event_breakpoint_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    enum arch_access access = event_breakpoint_access(attr->bp_type);

    /* perf spells an execute breakpoint with length 8; its register takes 1. */
    event->breakpoint = (struct breakpoint){.address = attr->bp_addr,
                                            .length = access == ARCH_EXECUTE ? 1 : attr->bp_len,
                                            .access = access,
                                            .target = event->target,
                                            .hit = event->start ? event_breakpoint_hit_start
                                                                : event_breakpoint_hit};
    print_into(event->breakpoint.owner, sizeof(event->breakpoint.owner), "perf %s",
               event->recorded.name);
    return breakpoint_install(&event->breakpoint, why);
}

void event_breakpoint_disable(struct event *event)
{
    breakpoint_remove(&event->breakpoint);
}
