/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of `branches:u` in another kernel: core/event/source_branches.c, without windows in
 * the kernel, which is not stepped. Task context, but for pitot_program_returns.
 */
#include <linux/errno.h>

#include "arch/embed.h"
#include "core/embed/embed.h"
#include "core/event/event.h"
#include "core/event/source.h"
#include "core/event/source_branches.h"
#include "core/host.h"
#include "core/lib/print.h"

bool embed_unreturned;

/* Returns the member that is missing, or NULL. */
static const char *missing(void)
{
    if (!host.process_read)
        return "process_read";
    if (!host.process_write)
        return "process_write";
    return host.thread_step ? NULL : "thread_step";
}

static int parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    int error = branches_source.parse(spelling, spec, why);

    if (!error && !spec->attr.exclude_kernel)
        return refuse(why, EINVAL, "%s: only programs are stepped here: use branches:u", spelling);
    if (!error && missing())
        return refuse(why, ENOSYS, "%s: %s of struct pitot_kernel is 0", spelling, missing());
    return error;
}

static int enable(struct event *event, struct refusal *why)
{
    return branches_source.enable(event, why);
}

static void disable(struct event *event)
{
    branches_source.disable(event);
}

static void begin(struct event *event)
{
    embed_unreturned = true;
    branches_source.begin(event);
}

static void describe(struct sink *sink)
{
    if (!missing())
        print_to(sink, "  branches:u                                         "
                       "[Hardware event, by single steps]\n"
                       "      each jump, call and return of a program, from => to\n\n");
}

const struct event_source embed_branches_source = {
    .spelt = "branches:u",
    .spelt_embedded = "", /* a kernel may have no programs */
    .describe = describe,
    .parse = parse,
    .enable = enable,
    .disable = disable,
    .begin = begin,
    .follows = true,
    .hertz_max = PACE_HERTZ_MAX,
};

int embed_branches_check(const struct event_spec *events, size_t count, bool chains,
                         struct refusal *why)
{
    bool any = false;
    int error = 0;

    for (size_t i = 0; i < count; i++)
        any |= events[i].source->follows;
    if (any && chains)
        return refuse(why, EINVAL, "-g: a branch has no call chain, only from and to");
    for (size_t i = 0; any && !error && i < count; i++)
        error = branches_check_beside(&events[i], true, why);
    return error;
}

void pitot_program_returns(void *frame)
{
    if (!host_ready || !host.frame || missing() ||
        !(arch_embed_word(frame, offsetof(struct regs, cs)) & RING_OF_SELECTOR))
        return;
    if (embed_unreturned)
        embed_unreturned = false;
    if (host.thread_step()->on || branches_of_program_wanted())
        arch_embed_program_returns(frame);
}
