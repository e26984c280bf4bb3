/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be recorded in another kernel: in place of core/event/sources.c, whose other sources
 * need entries of Pitot's own. The last takes what has a colon in it.
 */
#include "core/event/sources.h"
#include "core/event/source_branches.h"
#include "core/lib/assert.h"

const struct event_source *const event_sources[] = {&breakpoint_source, &clock_source,
                                                    &tracepoint_source};
const size_t event_source_count = sizeof(event_sources) / sizeof(event_sources[0]);

/* A breakpoint that opens a window of `branches`: pitot_start has no word for it. */
void branches_open(struct regs *regs)
{
    (void)regs;
    assert(!"a window of branches is opened, and none can be asked for");
}
