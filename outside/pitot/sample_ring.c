/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. `begin` and `end` only grow; modulo `room` they are indices in `bytes`. */
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/recording.h"

static struct {
    uint64_t room, begin, end, lost;
    char *bytes;
} ring;

bool sample_ring_create(uint64_t room)
{
    ring.room = room;
    ring.bytes = malloc(room);
    return ring.bytes != NULL;
}

/* A record may wrap around the end; its header of 8 bytes does not. */
static uint16_t size_at(uint64_t place)
{
    struct perf_event_header header;

    memcpy(&header, ring.bytes + place % ring.room, sizeof(header));
    return header.size;
}

static uint64_t until_wrap(uint64_t place, uint64_t size)
{
    uint64_t left = ring.room - place % ring.room;

    return size < left ? size : left;
}

void sample_ring_add(const struct perf_event_header *record)
{
    uint64_t first = until_wrap(ring.end, record->size);

    if (record->size > ring.room) {
        ring.lost++;
        return;
    }
    while (ring.end + record->size - ring.begin > ring.room) {
        ring.begin += size_at(ring.begin);
        ring.lost++;
    }
    memcpy(ring.bytes + ring.end % ring.room, record, first);
    memcpy(ring.bytes, (const char *)record + first, record->size - first);
    ring.end += record->size;
}

bool sample_ring_take(void *record)
{
    uint64_t size, first;

    if (ring.begin == ring.end)
        return false;
    size = size_at(ring.begin);
    first = until_wrap(ring.begin, size);
    memcpy(record, ring.bytes + ring.begin % ring.room, first);
    memcpy((char *)record + first, ring.bytes, size - first);
    ring.begin += size;
    return true;
}

uint64_t sample_ring_lost(void)
{
    return ring.lost;
}
