/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writers' own part of the ring: claiming a place and giving it up, inline. For the writers in
 * core/ring/ring.c, and for core/sample/sample.c, which stores a record's words directly in the
 * ring; no other file includes this. Context: as ring_output. docs/ring.md gives the reasons.
 */
#pragma once

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/ring/ring.h"

/*
 * A claim's offset while its place is being chosen. No record has this offset, so a reader that
 * finds it sees no claim.
 */
#define RING_NOWHERE UINT64_MAX

_Static_assert((RING_NESTING & (RING_NESTING - 1)) == 0, "a level chooses its claim by a mask");
_Static_assert(RING_RECORD_MAX % 8 == 0 && RING_RECORD_MAX <= UINT16_MAX,
               "the size of any record is a header's");
_Static_assert(RING_SIZE_MIN % 8 == 0, "a header does not reach across a ring's end");

/* Rare cases, out of line. */
void ring_void_outer_claims(struct ring *ring, unsigned level, uint64_t offset);
void ring_publish_again(struct ring *ring);
void ring_commit_dropped(struct ring *ring, unsigned level);

/* Copies to that position inside a claim, and around the ring's end if necessary. */
void ring_write_part(struct ring *ring, uint64_t offset, const void *bytes, size_t size);

static inline struct perf_event_header *ring_header(const struct ring *ring, uint64_t offset)
{
    return (struct perf_event_header *)(ring->bytes + (offset & (ring->size - 1)));
}

/*
 * The position that the tail may not pass: the oldest record that is still being written. Outer
 * levels claim before inner ones, so the outermost claim is the oldest. It may not have taken
 * effect yet; then the limit is only stricter than necessary.
 */
static inline uint64_t ring_oldest_claim(const struct ring *ring, unsigned level, uint64_t head)
{
    for (unsigned outer = 0; outer < level; outer++)
        if (local_load(&ring->claims[outer].size) &&
            local_load(&ring->claims[outer].offset) != RING_NOWHERE)
            return local_load(&ring->claims[outer].offset);
    return head;
}

/*
 * A stray write of a dying kernel may have changed a header. A walk over the records must still
 * make progress and stay inside the ring.
 */
static inline bool ring_plausible(uint64_t size, uint64_t room)
{
    return size >= sizeof(struct perf_event_header) && size % 8 == 0 && size <= room;
}

/*
 * The length of the old record at `offset`; an impossible length counts as one record up to
 * `limit`.
 */
static inline uint64_t ring_step(const struct ring *ring, uint64_t offset, uint64_t limit)
{
    uint64_t size = ring_header(ring, offset)->size;

    if (__builtin_expect(ring_plausible(size, limit - offset), 1))
        return size;
    return limit - offset;
}

/*
 * Moves the tail over whole old records until a record that ends at `end` fits; gives up no record
 * for one that cannot fit. A nested writer may do the same in the middle: then the exchange fails
 * and the walk continues from the tail that it left. That may be past `end`, hence the signed
 * comparison. Inline, because a flight recorder is full nearly always.
 */
static inline bool ring_make_room(struct ring *ring, uint64_t head, uint64_t end, unsigned level)
{
    uint64_t limit = ring_oldest_claim(ring, level, head);

    if (end - limit > ring->size)
        return false;
    for (;;) {
        uint64_t tail = local_load(&ring->tail);

        if ((int64_t)(end - tail) <= (int64_t)ring->size)
            return true;
        if (__builtin_expect(
                local_compare_exchange(&ring->tail, tail, tail + ring_step(ring, tail, limit)), 1))
            local_increment(&ring->overwritten);
    }
}

/*
 * The tail never passes a claim, so a record that fits between the tail and `end` overwrites no
 * claim.
 */
__attribute__((always_inline)) static inline bool ring_has_room(struct ring *ring, uint64_t head,
                                                                uint64_t end, unsigned level)
{
    uint64_t tail = publish_load(&ring->tail); /* C */

    if ((int64_t)(end - tail) <= (int64_t)ring->size)
        return true;
    return ring->mode == RING_OVERWRITE && ring_make_room(ring, head, end, level);
}

/*
 * *time gets the clock, read inside the claim; `level` is ring->nest. Inline, so that for the
 * outermost writer, as nearly all are, the level is the constant 0 and the compiler removes half of
 * the code.
 */
__attribute__((always_inline)) static inline bool ring_reserve_at(struct ring *ring, unsigned level,
                                                                  uint64_t size,
                                                                  struct ring_record *record,
                                                                  uint64_t *time)
{
    struct ring_claim *claim = &ring->claims[level & (RING_NESTING - 1)];
    uint64_t head;

    local_store(&ring->nest, level + 1);
    local_increment(&ring->produced);
    record->level = level;
    record->dropped = level >= RING_NESTING || size % 8 || size < 8 || size > RING_RECORD_MAX;
    if (record->dropped)
        goto drop;
    do {
        do {
            local_store(&claim->offset, RING_NOWHERE);
            local_store(&claim->size, size);
            head = local_load(&ring->head);
            /*
             * A nested writer voids the claim if it claimed before this read of the head, or right
             * after it.
             */
        } while (__builtin_expect(local_load(&claim->size) != size, 0));
        /*
         * Stored before the claim takes effect. A writer that claims from here on makes the
         * exchange fail.
         */
        local_store(&claim->offset, head);
        *time = arch_clock_ns();
        __asm__ volatile("" : "+r"(*time)); /* now, so that nothing is kept to compute it later */
        if (__builtin_expect(!ring_has_room(ring, head, head + size, level), 0)) {
            local_store(&claim->size, 0);
            goto drop;
        }
    } while (__builtin_expect(!local_compare_exchange(&ring->head, head, head + size), 0));
    if (level > 0)
        ring_void_outer_claims(ring, level, head);
    record->offset = head;
    return true;
drop:
    record->dropped = true;
    local_increment(&ring->dropped);
    return false;
}

/*
 * Only the outermost writer publishes. A nested writer that comes after the outermost one has left
 * writes and publishes by itself. One that comes before that does not publish: the second look at
 * the head finds its records.
 */
__attribute__((always_inline)) static inline void ring_commit_at(struct ring *ring, unsigned level,
                                                                 bool dropped)
{
    uint64_t head;

    local_barrier(); /* the record is whole before its claim is given up */
    if (!dropped)
        local_store(&ring->claims[level & (RING_NESTING - 1)].size, 0);
    if (level > 0) {
        local_store(&ring->nest, level);
        return;
    }
    head = local_load(&ring->head);
    publish_store(&ring->published, head); /* B */
    local_store(&ring->nest, 0);
    local_barrier();
    if (__builtin_expect(local_load(&ring->head) != head, 0))
        ring_publish_again(ring);
}
