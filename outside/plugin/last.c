/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h: the last calls. */
#include "outside/plugin/run.h"

#include <stdbool.h>
#include <stdlib.h>

#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

#define CYCLE_MOST 4 /* calls of a loop that is folded */

struct begin {
    uint64_t entry, time;
    uint32_t context, thread;
    int32_t vector; /* of an interrupt; -1: not known */
    uint32_t error;
    uint32_t cycle, again; /* as in struct wire_last */
};

static uint32_t length;

/*
 * The oldest call is overwritten. A loop that makes the same calls again and again is folded, so
 * that it does not hide what led to it: while `repeated` calls of a cycle have come again, they are
 * not kept.
 */
static struct ring {
    struct begin *begins; /* NULL until the first call */
    uint64_t count;       /* calls kept, ever */
    uint32_t newest;      /* index of the last one: a division at each call would cost too much */
    uint64_t calls;       /* all calls, ever */
    unsigned cycle, repeated;
    /* Of the last call, also if it was folded. */
    uint32_t context;
    uint64_t entry, time;
} rings[FOLLOW_CPUS];

void last_init(uint32_t wanted)
{
    length = wanted;
}

/* The call before the newest one by `back`, less than `length`; 0: the newest. */
static struct begin *kept(const struct ring *ring, uint32_t back)
{
    return &ring->begins[back <= ring->newest ? ring->newest - back : ring->newest + length - back];
}

static bool is_same(const struct begin *one, const struct begin *other)
{
    return one->entry == other->entry && one->context == other->context &&
           one->thread == other->thread;
}

/* True if a function calls itself, and has done so before if it is folded. */
static bool recurs(const struct ring *ring, const struct begin *begin)
{
    const struct begin *newest = kept(ring, 0);

    return newest->entry == begin->entry && newest->thread == begin->thread &&
           context_at(begin->context)->outer == ring->context;
}

static void keep(struct ring *ring, const struct begin *begin)
{
    ring->newest = ring->count == 0 || ring->newest + 1 == length ? 0 : ring->newest + 1;
    ring->count++;
    ring->begins[ring->newest] = *begin;
}

/* The cycle has not come again to its end: its calls so far are kept. */
__attribute__((noinline)) static void unfold(struct ring *ring)
{
    unsigned cycle = ring->cycle, repeated = ring->repeated;
    uint64_t first = ring->count - cycle;

    ring->cycle = ring->repeated = 0;
    for (unsigned i = 0; i < repeated; i++) {
        struct begin begin = ring->begins[(first + i) % length];

        begin.cycle = begin.again = 0;
        keep(ring, &begin);
    }
}

/* The cycle has come once more. */
static void repeat(struct ring *ring)
{
    struct begin *newest = kept(ring, 0);

    newest->again = newest->cycle == ring->cycle ? newest->again + 1 : 1;
    newest->cycle = ring->cycle;
    ring->repeated = 0;
}

/* True if the call repeats one of a cycle. */
static bool fold(struct ring *ring, const struct begin *begin)
{
    if (ring->cycle <= 1 && ring->count > 0 && recurs(ring, begin)) {
        ring->cycle = 1;
        repeat(ring);
        return true;
    }
    if (ring->cycle && !is_same(kept(ring, ring->cycle - 1 - ring->repeated), begin))
        unfold(ring);
    for (unsigned cycle = 1; !ring->cycle && cycle <= CYCLE_MOST; cycle++)
        if (cycle <= ring->count && cycle < length && is_same(kept(ring, cycle - 1), begin))
            ring->cycle = cycle;
    if (!ring->cycle)
        return false;
    if (++ring->repeated == ring->cycle)
        repeat(ring);
    return true;
}

/* Flatten: so the call is not copied through memory, which each call of the kernel would pay. */
__attribute__((flatten)) void last_begins(unsigned cpu, uint64_t ip, uint64_t time,
                                          const struct last_interrupt *interrupt)
{
    struct ring *ring = &rings[cpu];
    struct begin begin = {.entry = ip,
                          .time = time,
                          .context = follow_context(cpu),
                          .thread = follow_thread(cpu),
                          .vector = interrupt ? interrupt->vector : -1,
                          .error = interrupt ? interrupt->error : 0};

    if (!ring->begins)
        ring->begins = calloc(length, sizeof(*ring->begins));
    ring->calls++;
    if (ring->begins && !fold(ring, &begin))
        keep(ring, &begin);
    ring->context = begin.context;
    ring->entry = ip;
    ring->time = time;
}

/*
 * Where the CPU is: in its last block, or at the entry of what this block has called and no block
 * has begun yet. `called`: it is not known what that is, so the CPU is at the call.
 */
static void find_place(const struct ring *ring, struct wire_where *where, bool called)
{
    const struct context *context = context_at(where->context);

    if (called && where->context > CONTEXT_UNKNOWN) {
        where->ip = context->site;
        where->context = context->outer;
    } else if (ring->calls && ring->time == where->time && ring->context == where->context) {
        where->ip = ring->entry;
    }
}

void last_tell(unsigned cpu, uint64_t ip, uint64_t time, bool called)
{
    struct ring *ring = &rings[cpu];
    struct wire_where where = {.context = follow_context(cpu),
                               .thread = follow_thread(cpu),
                               .ip = ip,
                               .time = time,
                               .calls = ring->calls};

    find_place(ring, &where, called);
    tell_where(&where, cpu);
    if (!ring->begins)
        return;
    if (ring->repeated)
        unfold(ring);
    for (uint64_t i = ring->count > length ? ring->count - length : 0; i < ring->count; i++) {
        const struct begin *begin = &ring->begins[i % length];
        struct wire_last last = {.context = begin->context,
                                 .thread = begin->thread,
                                 .entry = begin->entry,
                                 .time = begin->time,
                                 .vector = begin->vector,
                                 .error = begin->error,
                                 .cycle = begin->cycle,
                                 .again = begin->again};

        tell_last(&last, cpu);
    }
}
