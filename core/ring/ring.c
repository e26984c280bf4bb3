/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight recorder's writers and reader (ring.h; docs/ring.md gives the reasons). The outermost
 * writer synchronises with a reader on another CPU; each letter pairs with the same letter on the
 * other side:
 *
 *     writer                                   reader
 *
 *     move tail over old records               load published          B
 *       store tail              A              load tail
 *     write the record's bytes                 copy bytes
 *     store published           B              load tail again         A
 *                                              discard what lies before it
 *
 * A: a reader that sees new bytes in place of old ones also sees the moved tail. B: a reader that
 * sees `published` also sees the bytes before it. In normal mode the reader moves the tail, and C
 * pairs its store (after its copy) with the writer's load (before its bytes).
 */
#include "core/ring/ring.h"

#include "core/lib/assert.h"
#include "core/ring/claim.h"

int ring_init(struct ring *ring, void *memory, uint64_t size, enum ring_mode mode,
              bool reader_owns_tail, struct refusal *why)
{
    if (size < RING_SIZE_MIN || size > RING_SIZE_MAX || (size & (size - 1)))
        return refuse(why, EINVAL, "ring of %llu bytes: a power of two from %u to %u is allowed",
                      (unsigned long long)size, RING_SIZE_MIN, RING_SIZE_MAX);
    if ((uintptr_t)memory % 8)
        return refuse(why, EINVAL, "ring memory at %p: must be 8-byte aligned", memory);
    if (mode == RING_OVERWRITE && reader_owns_tail)
        return refuse(why, EINVAL, "the reader cannot own the tail: in overwrite mode writers do");
    *ring = (struct ring){.bytes = memory, .size = size, .mask = size - 1, .mode = mode};
    return 0;
}

/*
 * Voids the claims of outer levels that noted the place this level has won, or that might note it
 * later. These choose again: their exchange of the head fails, or they find the claim void.
 */
__attribute__((noinline)) void ring_void_outer_claims(struct ring *ring, unsigned level,
                                                      uint64_t offset)
{
    for (unsigned outer = 0; outer < level; outer++)
        if (ring->claims[outer].offset == offset || ring->claims[outer].offset == RING_NOWHERE)
            local_store(&ring->claims[outer].size, 0);
}

__attribute__((noinline)) static void ring_write_around(struct ring *ring, uint64_t start,
                                                        const void *bytes, size_t size)
{
    uint64_t first = ring->size - start;

    assert(size > first && size <= ring->size); /* the claim crosses the end */
    local_copy_words(ring->bytes + start, bytes, first / 8);
    local_copy_words(ring->bytes, (const uint8_t *)bytes + first, (size - first) / 8);
}

void ring_write_part(struct ring *ring, uint64_t offset, const void *bytes, size_t size)
{
    uint64_t start = offset & ring->mask;

    publish_order_stores(); /* A: the tail was moved before these bytes change */
    if (size <= ring->size - start)
        local_copy_words(ring->bytes + start, bytes, size / 8);
    else
        ring_write_around(ring, start, bytes, size);
}

/*
 * Publishes the records of nested writers that came while the outermost writer was leaving, and so
 * did not publish.
 */
__attribute__((noinline)) void ring_publish_again(struct ring *ring)
{
    uint64_t head;

    assert(local_load(&ring->nest) == 0); /* nested writers have left */
    do {
        local_store(&ring->nest, 1);
        head = local_load(&ring->head);
        publish_store(&ring->published, head); /* B */
        local_store(&ring->nest, 0);
        local_barrier();
    } while (local_load(&ring->head) != head);
}

/* Repeats the first attempt until the place is claimed or there is no room. */
__attribute__((noinline)) struct ring_place ring_reserve_again(struct ring *ring, unsigned level,
                                                               uint64_t size)
{
    struct ring_place place;
    enum ring_try tried;

    do
        tried = ring_try_at(ring, level, size, &place);
    while (tried == RING_OVERTAKEN);
    if (tried == RING_FULL) {
        local_increment(&ring->dropped);
        return (struct ring_place){.offset = RING_NOWHERE};
    }
    ring_void_outer_claims(ring, level, place.offset);
    return place;
}

__attribute__((noinline)) void ring_make_more_room(struct ring *ring, uint64_t tail, uint64_t least,
                                                   uint64_t limit)
{
    do
        tail = ring_move_tail(ring, tail, limit);
    while (ring_is_before(tail, least));
}

__attribute__((noinline)) void ring_commit_dropped(struct ring *ring, unsigned level)
{
    assert(ring->nest == level + 1); /* writers nested in this one have left */
    ring_commit_at(ring, level, true);
}

__attribute__((noinline)) static void ring_output_around(struct ring *ring, unsigned level,
                                                         uint64_t start, const void *bytes,
                                                         size_t size)
{
    ring_write_around(ring, start, bytes, size);
    ring_commit_at(ring, level, false);
}

static inline void ring_output_at(struct ring *ring, unsigned level, const void *bytes,
                                  uint64_t size, uint64_t *time)
{
    bool possible = ring_is_whole(size) && size <= RING_RECORD_MAX;
    struct ring_place place;
    uint64_t start;

    if (__builtin_expect(!ring_reserve_at(ring, level, size, possible, &place), 0)) {
        ring_commit_dropped(ring, level);
        return;
    }
    *time = place.time;
    start = place.offset & ring->mask;
    local_barrier(); /* A: the tail was moved before these bytes change */
    if (__builtin_expect(start + size > ring->size, 0)) {
        ring_output_around(ring, level, start, bytes, size);
        return;
    }
    local_move_words(ring->bytes + start, bytes, size / 8);
    ring_commit_at(ring, level, false);
}

__attribute__((noinline)) static void ring_output_nested(struct ring *ring, const void *bytes,
                                                         uint32_t size, uint64_t *time)
{
    ring_output_at(ring, (unsigned)ring->nest, bytes, size, time);
}

__attribute__((flatten)) void ring_output(struct ring *ring, const void *bytes, uint32_t size,
                                          uint64_t *time)
{
    if (__builtin_expect(ring->nest == 0, 1))
        ring_output_at(ring, 0, bytes, size, time);
    else
        ring_output_nested(ring, bytes, size, time);
}

void ring_reader_start(struct ring_reader *reader, const struct ring *ring)
{
    *reader = (struct ring_reader){.ring = ring, .position = publish_load(&ring->tail)};
}

static void ring_copy_out(const struct ring *ring, uint64_t offset, void *to, size_t size)
{
    uint64_t start = offset & ring->mask;
    uint64_t first = ring->size - start;

    if (size <= first) {
        publish_copy_words(to, ring->bytes + start, size / 8);
        return;
    }
    publish_copy_words(to, ring->bytes + start, first / 8);
    publish_copy_words((uint8_t *)to + first, ring->bytes, (size - first) / 8);
}

/* True if writers overwrote the bytes just copied; then moves the reader to the oldest record. */
static bool ring_overtaken(struct ring_reader *reader)
{
    uint64_t tail;

    publish_order_loads(); /* A: the copy before this load of the tail */
    tail = publish_load(&reader->ring->tail);
    if (tail <= reader->position)
        return false;
    reader->skipped += tail - reader->position;
    reader->position = tail;
    return true;
}

enum ring_read_result ring_read(struct ring_reader *reader, void *to, size_t room)
{
    const struct ring *ring = reader->ring;

    for (;;) {
        uint64_t published = publish_load(&ring->published); /* B */
        struct perf_event_header header = {.size = 0};

        if (reader->position >= published)
            return RING_READ_EMPTY;
        ring_copy_out(ring, reader->position, &header, sizeof(header));
        if (ring_overtaken(reader))
            continue;
        if (published - reader->position > ring->size || !ring_is_whole(header.size) ||
            header.size > published - reader->position) {
            /* A damaged header does not tell where the next record begins. */
            reader->skipped += published - reader->position;
            reader->position = published;
            continue;
        }
        if (header.size > room)
            return RING_READ_TOO_LARGE;
        ring_copy_out(ring, reader->position, to, header.size);
        if (ring_overtaken(reader))
            continue;
        reader->position += header.size;
        return RING_READ_RECORD;
    }
}

void ring_consume(struct ring *ring, const struct ring_reader *reader)
{
    /* In overwrite mode the writers own the tail. */
    assert(reader->ring == ring && ring->mode == RING_NORMAL);
    assert(reader->position >= ring->tail);
    publish_store(&ring->tail, reader->position); /* C: after the copy */
}
