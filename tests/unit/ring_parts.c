/* SPDX-License-Identifier: BSD-2-Clause */
/* See ring_parts.h. */
#include "tests/unit/ring_parts.h"

#include "core/ring/claim.h"

bool ring_reserve(struct ring *ring, uint32_t size, struct ring_record *record)
{
    unsigned level = (unsigned)ring->nest;
    bool possible = ring_is_whole(size) && size <= RING_RECORD_MAX;
    struct ring_place place = {.offset = RING_NOWHERE};
    bool claimed = ring_reserve_at(ring, level, size, possible, &place);

    *record = (struct ring_record){
        .offset = place.offset, .time = place.time, .level = level, .dropped = !claimed};
    return claimed;
}

void ring_write(struct ring *ring, const struct ring_record *record, const void *bytes, size_t size)
{
    ring_write_part(ring, record->offset, bytes, size);
}

void ring_commit(struct ring *ring, struct ring_record *record)
{
    ring_commit_at(ring, record->level, record->dropped);
}
