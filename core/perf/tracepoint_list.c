/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which tracepoints are linked in: they note themselves in a section, like commands. Ids are places
 * in it, so they hold for one build. Constant data; any context.
 */
#include "core/perf/tracepoint.h"
#include "core/string.h"

/* Weak: there may be none. */
extern struct tracepoint *const __start_tracepoints[] __attribute__((weak));
extern struct tracepoint *const __stop_tracepoints[] __attribute__((weak));

size_t tracepoint_count(void)
{
    return (size_t)(__stop_tracepoints - __start_tracepoints);
}

struct tracepoint *tracepoint_by_id(uint64_t id)
{
    return id > 0 && id <= tracepoint_count() ? __start_tracepoints[id - 1] : NULL;
}

uint16_t tracepoint_id(const struct tracepoint *tracepoint)
{
    uint16_t id = 1;

    while (tracepoint_by_id(id) != tracepoint)
        id++;
    return id;
}

/* How many have names before this one's: its index in their order. */
static size_t tracepoint_rank(const struct tracepoint *tracepoint)
{
    size_t rank = 0;

    for (size_t i = 0; i < tracepoint_count(); i++)
        rank += strcmp(__start_tracepoints[i]->full_name, tracepoint->full_name) < 0;
    return rank;
}

struct tracepoint *tracepoint_by_name(size_t index)
{
    for (size_t i = 0; i < tracepoint_count(); i++)
        if (tracepoint_rank(__start_tracepoints[i]) == index)
            return __start_tracepoints[i];
    return NULL;
}
