/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracepoint.h. A tracepoint's id is its index in a section, counted from 1. */
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/tracepoint/tracepoint.h"

/* Weak: there may be none. */
extern struct pitot_tracepoint *const __start_pitot_tracepoints[] __attribute__((weak));
extern struct pitot_tracepoint *const __stop_pitot_tracepoints[] __attribute__((weak));

size_t tracepoint_count(void)
{
    return (size_t)(__stop_pitot_tracepoints - __start_pitot_tracepoints);
}

struct pitot_tracepoint *tracepoint_by_id(uint64_t id)
{
    return id > 0 && id <= tracepoint_count() ? __start_pitot_tracepoints[id - 1] : NULL;
}

uint16_t tracepoint_id(const struct pitot_tracepoint *tracepoint)
{
    uint16_t id = 1;

    while (tracepoint_by_id(id) != tracepoint) {
        assert(id < tracepoint_count()); /* every tracepoint is in the section */
        id++;
    }
    return id;
}

static bool tracepoint_follows(const struct pitot_tracepoint *one,
                               const struct pitot_tracepoint *other)
{
    return !other || strcmp(one->full_name, other->full_name) > 0;
}

struct pitot_tracepoint *tracepoint_after(const struct pitot_tracepoint *before)
{
    struct pitot_tracepoint *next = NULL;

    for (size_t i = 0; i < tracepoint_count(); i++) {
        struct pitot_tracepoint *each = __start_pitot_tracepoints[i];

        if (tracepoint_follows(each, before) && (!next || tracepoint_follows(next, each)))
            next = each;
    }
    return next;
}
