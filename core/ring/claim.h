/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claiming a place in the ring and releasing the claim, inline. Included only by core/ring/ring.c,
 * by core/sample/sample.c, which stores a record's words directly in the ring, and by
 * core/ring/walk.c, for the predicates. Context: as ring_output. docs/ring.md gives the reasons.
 */
#pragma once

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/ring/ring.h"

/*
 * Offset of a claim whose place is still being chosen. No record has it, so readers ignore the
 * claim.
 */
#define RING_NOWHERE UINT64_MAX

_Static_assert((RING_NESTING & (RING_NESTING - 1)) == 0, "a level chooses its claim by a mask");
_Static_assert(RING_RECORD_MAX % 8 == 0 && RING_RECORD_MAX <= UINT16_MAX,
               "the size of any record is a header's");
_Static_assert(RING_SIZE_MIN % 8 == 0, "a header does not reach across a ring's end");

/*
 * A record's place; the offset is RING_NOWHERE if the record is dropped. Two words, so that it
 * stays in registers.
 */
struct ring_place {
    uint64_t offset;
    uint64_t time; /* read inside the claim, so that records of one ring are in time order */
};

static inline bool ring_has(struct ring_place place)
{
    return place.offset != RING_NOWHERE;
}

/* Rare cases, out of line: inlined, they would cost every writer registers. */
struct ring_place ring_reserve_again(struct ring *ring, unsigned level, uint64_t size);
void ring_make_more_room(struct ring *ring, uint64_t tail, uint64_t least, uint64_t limit);
void ring_void_outer_claims(struct ring *ring, unsigned level, uint64_t offset);
void ring_publish_again(struct ring *ring);
void ring_commit_dropped(struct ring *ring, unsigned level);

/* Copies to `offset` inside a claim, around the ring's end if necessary. */
void ring_write_part(struct ring *ring, uint64_t offset, const void *bytes, size_t size);

static inline struct perf_event_header *ring_header(const struct ring *ring, uint64_t offset)
{
    return (struct perf_event_header *)(ring->bytes + (offset & ring->mask));
}

/*
 * The position that the tail may not pass: the oldest unfinished record. Outer levels claim first,
 * so it is the outermost claim; one that has not taken effect yet only makes the limit stricter.
 */
static inline uint64_t ring_oldest_claim(const struct ring *ring, unsigned level, uint64_t head)
{
    for (unsigned outer = 0; outer < level; outer++)
        if (local_load(&ring->claims[outer].size) &&
            local_load(&ring->claims[outer].offset) != RING_NOWHERE)
            return local_load(&ring->claims[outer].offset);
    return head;
}

/* True if a header may give this size for its record. */
static inline bool ring_is_whole(uint64_t size)
{
    return size >= sizeof(struct perf_event_header) && size % 8 == 0;
}

/*
 * End of the old record at `offset`. A stray write may have changed its header, and a walk must
 * still advance and stay inside the ring: an impossible size counts as one record up to `limit`.
 */
static inline uint64_t ring_next(const struct ring *ring, uint64_t offset, uint64_t limit)
{
    uint64_t size = ring_header(ring, offset)->size, next = offset + size;

    return __builtin_expect(ring_is_whole(size) && next <= limit, 1) ? next : limit;
}

/* Signed, because a record's end minus the ring's size is below 0 in the first lap. */
static inline bool ring_is_before(uint64_t position, uint64_t other)
{
    return (int64_t)position < (int64_t)other;
}

/* Moves the tail over an old record; returns the new tail, which a nested writer may have moved. */
static inline uint64_t ring_move_tail(struct ring *ring, uint64_t tail, uint64_t limit)
{
    uint64_t next = ring_next(ring, tail, limit);

    if (__builtin_expect(!local_compare_exchange(&ring->tail, tail, next), 0))
        return local_load(&ring->tail);
    local_increment(&ring->overwritten);
    return next;
}

/*
 * Moves the tail over whole old records until a record that ends at `end` fits. Returns false, and
 * moves nothing, if that record cannot fit at all. The first step is inline, because in a full ring
 * one step is usually enough.
 */
static inline bool ring_make_room(struct ring *ring, uint64_t tail, uint64_t head, uint64_t end,
                                  unsigned level)
{
    uint64_t limit = ring_oldest_claim(ring, level, head), least = end - ring->size;

    if (end - limit > ring->size)
        return false;
    tail = ring_move_tail(ring, tail, limit);
    if (__builtin_expect(ring_is_before(tail, least), 0))
        ring_make_more_room(ring, tail, least, limit);
    return true;
}

/*
 * Returns true if a record that ends at `end` fits; in overwrite mode moves the tail to make room.
 * The tail passes no claim, so a record that fits overwrites none.
 */
__attribute__((always_inline)) static inline bool ring_has_room(struct ring *ring, uint64_t head,
                                                                uint64_t end, unsigned level)
{
    uint64_t tail = publish_load(&ring->tail); /* C */

    if (!ring_is_before(tail, end - ring->size))
        return true;
    return ring->mode == RING_OVERWRITE && ring_make_room(ring, tail, head, end, level);
}

enum ring_try { RING_CLAIMED, RING_FULL, RING_OVERTAKEN };

/* Tries once to claim `size` bytes at the head. RING_OVERTAKEN: a nested writer came in between. */
__attribute__((always_inline)) static inline enum ring_try
ring_try_at(struct ring *ring, unsigned level, uint64_t size, struct ring_place *place)
{
    struct ring_claim *claim = &ring->claims[level & (RING_NESTING - 1)];
    uint64_t head, time;

    local_store(&claim->offset, RING_NOWHERE);
    local_store(&claim->size, size);
    head = local_load(&ring->head);
    /*
     * A nested writer that claimed before this read of the head, or right after, has voided this
     * claim.
     */
    if (__builtin_expect(local_load(&claim->size) != size, 0))
        return RING_OVERTAKEN;
    /*
     * Notes the place before the claim takes effect. From here on, a nested writer's claim makes
     * the exchange below fail.
     */
    local_store(&claim->offset, head);
    time = arch_clock_ns();
    __asm__ volatile("" : "+r"(time)); /* computed here, so that no register keeps its inputs */
    *place = (struct ring_place){.offset = head, .time = time};
    if (__builtin_expect(!ring_has_room(ring, head, head + size, level), 0)) {
        local_store(&claim->size, 0);
        return RING_FULL;
    }
    if (__builtin_expect(!local_compare_exchange(&ring->head, head, head + size), 0))
        return RING_OVERTAKEN;
    return RING_CLAIMED;
}

/*
 * Claims a place for a record of `size` bytes. `level` is ring->nest; the function is inline,
 * because that is nearly always the constant 0. If `possible` is false, the record is dropped.
 * Returns false if the record is dropped, and counts it.
 */
__attribute__((always_inline)) static inline bool ring_reserve_at(struct ring *ring, unsigned level,
                                                                  uint64_t size, bool possible,
                                                                  struct ring_place *place)
{
    enum ring_try tried = RING_FULL;

    local_store(&ring->nest, level + 1);
    local_increment(&ring->produced);
    if (__builtin_expect(possible && level < RING_NESTING, 1))
        tried = ring_try_at(ring, level, size, place);
    if (__builtin_expect(tried == RING_OVERTAKEN, 0)) {
        *place = ring_reserve_again(ring, level, size);
        return ring_has(*place);
    }
    if (__builtin_expect(tried == RING_FULL, 0)) {
        local_increment(&ring->dropped);
        return false;
    }
    if (level > 0)
        ring_void_outer_claims(ring, level, place->offset);
    return true;
}

/*
 * Only the outermost writer publishes. A nested writer that comes after it has left is outermost
 * itself; the second load of the head finds the records of a nested writer that came earlier.
 */
__attribute__((always_inline)) static inline void ring_commit_at(struct ring *ring, unsigned level,
                                                                 bool dropped)
{
    uint64_t head;

    local_barrier(); /* the record is whole before its claim is released */
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
