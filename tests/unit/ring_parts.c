/* SPDX-License-Identifier: BSD-2-Clause */
/* See ring_parts.h. */
#include "tests/unit/ring_parts.h"

#include "core/ring/claim.h"

bool ring_reserve(struct ring *ring, uint32_t size, struct ring_record *record)
{
    return ring_reserve_at(ring, (unsigned)ring->nest, size, record, &record->time);
}

void ring_write(struct ring *ring, const struct ring_record *record, const void *bytes, size_t size)
{
    ring_write_part(ring, record->offset, bytes, size);
}

void ring_commit(struct ring *ring, struct ring_record *record)
{
    ring_commit_at(ring, record->level, record->dropped);
}
