/* SPDX-License-Identifier: BSD-2-Clause */
/* The event sources that need no trap entry of Pitot. The last accepts any name with a colon. */
#include "core/event/source.h"
#include "core/event/source_branches.h"
#include "core/host.h"
#include "core/lib/assert.h"

const struct event_source *const event_sources[] = {&breakpoint_source, &clock_source,
                                                    &tracepoint_source};
const size_t event_source_count = sizeof(event_sources) / sizeof(event_sources[0]);
const bool own_kernel = false;

/* Never called: pitot_start has no syntax for a breakpoint that opens a window of `branches`. */
void branches_open(struct regs *regs)
{
    (void)regs;
    assert(!"a window of branches is opened, and none can be asked for");
}
