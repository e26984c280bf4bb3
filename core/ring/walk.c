/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk of ring.h. */
#include "core/ring/ring.h"

#include "core/lib/string.h"
#include "core/ring/claim.h"

const char *ring_walk_refuses(const struct ring *ring)
{
    if (ring->size < RING_SIZE_MIN || ring->size > RING_SIZE_MAX || (ring->size & (ring->size - 1)))
        return "its size is not a power of two within a ring's limits";
    if (ring->tail > ring->head || ring->head - ring->tail > ring->size)
        return "its tail is not within its size behind its head";
    if (ring->tail % 8 || ring->head % 8)
        return "its positions are not multiples of 8";
    return NULL;
}

void ring_walk_start(struct ring_walk *walk, const struct ring *ring)
{
    *walk = (struct ring_walk){.ring = ring, .position = ring->tail};
}

/*
 * Returns the size of the deepest claim at the position, or 0 if there is none. A claim at
 * RING_NOWHERE matches no position.
 */
static uint64_t claimed(const struct ring *ring, uint64_t position)
{
    for (unsigned level = RING_NESTING; level-- > 0;) {
        const struct ring_claim *claim = &ring->claims[level];

        if (claim->size >= sizeof(struct perf_event_header) && claim->offset == position)
            return claim->size;
    }
    return 0;
}

static bool plausible(uint64_t size, uint64_t room)
{
    return ring_is_whole(size) && size <= RING_RECORD_MAX && size <= room;
}

/* Copies word by word, because the ring's end may lie between two words. */
static void copy_out(const struct ring *ring, uint64_t position, void *to, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += sizeof(uint64_t))
        memcpy((char *)to + at, ring->bytes + ((position + at) & (ring->size - 1)),
               sizeof(uint64_t));
}

enum ring_walk_step ring_walk_next(struct ring_walk *walk, void *to)
{
    const struct ring *ring = walk->ring;
    struct perf_event_header header;

    while (walk->position < ring->head) {
        uint64_t room = ring->head - walk->position;
        uint64_t size = claimed(ring, walk->position);

        if (size > 0) {
            if (!plausible(size, room))
                return RING_WALK_DAMAGED;
            walk->unfinished++;
            walk->position += size;
            continue;
        }
        copy_out(ring, walk->position, &header, sizeof(header));
        if (!plausible(header.size, room))
            return RING_WALK_DAMAGED;
        copy_out(ring, walk->position, to, header.size);
        walk->position += header.size;
        walk->records++;
        walk->inside += walk->unfinished > 0;
        return RING_WALK_RECORD;
    }
    return RING_WALK_END;
}

bool ring_walk_adds_up(const struct ring_walk *walk)
{
    const struct ring *ring = walk->ring;
    uint64_t accounted = walk->records + walk->unfinished + ring->overwritten + ring->dropped;

    return ring->produced >= accounted && ring->produced - accounted <= 2 * ring->nest;
}
