/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h: costs of paths. */
#include "outside/plugin/run.h"

#include <stdlib.h>

#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

static struct cost {
    uint64_t calls, instructions;
} * costs; /* [context] */

/* A CPU's current context, and its instruction count when it entered this context. */
static struct place {
    uint32_t context;
    uint64_t since;
} places[FOLLOW_CPUS];

bool graph_init(void)
{
    follow_by_entry();
    costs = calloc(CONTEXT_MOST, sizeof(*costs));
    return costs;
}

void graph_continue(unsigned cpu, bool called, uint64_t time)
{
    uint32_t context = follow_context(cpu);

    if (places[cpu].context == CONTEXT_UNKNOWN) /* it is known now what ran meanwhile */
        places[cpu].context = context;
    graph_end(cpu, time);
    places[cpu] = (struct place){context, time};
    if (called)
        costs[places[cpu].context].calls++;
}

void graph_end(unsigned cpu, uint64_t time)
{
    costs[places[cpu].context].instructions += time - places[cpu].since;
}

void graph_tell(void)
{
    for (uint32_t i = CONTEXT_NONE + 1; i <= context_last(); i++)
        if (costs[i].instructions > 0)
            tell_cost(i, costs[i].calls, costs[i].instructions);
}
