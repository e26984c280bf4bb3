/* SPDX-License-Identifier: BSD-2-Clause */
/* See last.h. */
#include "outside/plugin/last.h"

#include <stdlib.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

struct begin {
    uint64_t entry, time;
    uint32_t context, thread;
};

static uint32_t length;

static struct ring {
    struct begin *begins; /* NULL until the first call; the oldest is overwritten */
    uint64_t count;       /* all calls ever, not only those kept */
} rings[FOLLOW_CPUS];

void last_init(uint32_t wanted)
{
    length = wanted;
}

void last_begins(unsigned cpu, uint64_t ip, uint64_t time)
{
    struct ring *ring = &rings[cpu];

    if (!ring->begins)
        ring->begins = calloc(length, sizeof(*ring->begins));
    if (ring->begins)
        ring->begins[ring->count % length] =
            (struct begin){ip, time, follow_context(cpu), follow_thread(cpu)};
    ring->count++;
}

void last_tell(unsigned cpu, uint64_t ip, uint64_t time)
{
    const struct ring *ring = &rings[cpu];
    struct wire_where where = {.context = follow_context(cpu),
                               .thread = follow_thread(cpu),
                               .ip = ip,
                               .time = time,
                               .calls = ring->count};

    tell_where(&where, cpu);
    if (!ring->begins)
        return;
    for (uint64_t i = ring->count > length ? ring->count - length : 0; i < ring->count; i++) {
        const struct begin *begin = &ring->begins[i % length];
        struct wire_last last = {.context = begin->context,
                                 .thread = begin->thread,
                                 .entry = begin->entry,
                                 .time = begin->time};

        tell_last(&last, cpu);
    }
}
