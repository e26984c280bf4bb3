/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracepoint.h. A tracepoint's id is its index in a section, counted from 1. */
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/tracepoint/tracepoint.h"

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

    while (tracepoint_by_id(id) != tracepoint) {
        assert(id < tracepoint_count()); /* every tracepoint is in the section */
        id++;
    }
    return id;
}

static bool tracepoint_follows(const struct tracepoint *one, const struct tracepoint *other)
{
    return !other || strcmp(one->full_name, other->full_name) > 0;
}

struct tracepoint *tracepoint_after(const struct tracepoint *before)
{
    struct tracepoint *next = NULL;

    for (size_t i = 0; i < tracepoint_count(); i++) {
        struct tracepoint *each = __start_tracepoints[i];

        if (tracepoint_follows(each, before) && (!next || tracepoint_follows(next, each)))
            next = each;
    }
    return next;
}
