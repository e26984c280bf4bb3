/* SPDX-License-Identifier: BSD-2-Clause */
/* The stopped machine's reader, and the checks of the ring's tests (ring_check.h). */
#include "tests/unit/ring_check.h"

#include <stdbool.h>
#include <stddef.h>

#include "tests/unit/ring_payload.h"

static uint64_t copied[RING_RECORD_MAX / 8 + 1];

/* A size below a header's means that there is no claim, or not yet. */
static bool noted(const struct ring_claim *claim)
{
    return claim->size >= sizeof(struct perf_event_header);
}

/* A claim is valid if the head is past it and no deeper level has noted the same place: that level
 * then owns it. */
static const struct ring_claim *claim_at(const struct ring *ring, uint64_t position)
{
    for (unsigned level = RING_NESTING; level-- > 0;)
        if (noted(&ring->claims[level]) && ring->claims[level].offset == position)
            return &ring->claims[level];
    return NULL;
}

/* The number of different places before the head that the claims name. */
static unsigned claims_in_effect(const struct ring *ring)
{
    unsigned count = 0;

    for (unsigned level = 0; level < RING_NESTING; level++)
        count += noted(&ring->claims[level]) && ring->claims[level].offset < ring->head &&
                 claim_at(ring, ring->claims[level].offset) == &ring->claims[level];
    return count;
}

static void copy(const struct ring *ring, uint64_t position, size_t size)
{
    const uint64_t *words = (const uint64_t *)ring->bytes;

    for (size_t i = 0; i < size / 8; i++)
        copied[i] = words[(position / 8 + i) & (ring->size / 8 - 1)];
}

/* The record at `position`, in one piece; NULL: its size is impossible. */
static const void *take(const struct ring *ring, uint64_t position, uint32_t *size)
{
    const uint64_t start = position & (ring->size - 1);
    const void *there = ring->bytes + start;

    *size = ((const struct perf_event_header *)there)->size;
    if (*size < 8 || *size % 8 || *size > ring->head - position)
        return NULL;
    if (start + *size <= ring->size)
        return there;
    copy(ring, position, *size);
    return copied;
}

struct ring_look ring_look(const struct ring *ring)
{
    struct ring_look look = {0};
    uint64_t time = 0, at;

    if (ring->tail > ring->head || ring->head - ring->tail > ring->size)
        return (struct ring_look){.fault = "the tail is not within a ring's size behind the head"};
    for (at = ring->tail; at < ring->head && !look.fault;) {
        const struct ring_claim *claim = claim_at(ring, at);
        const void *record;
        uint32_t size;

        if (claim) {
            look.unfinished++;
            if (at < ring->published)
                look.fault = "a record is published before it is finished";
            at += claim->size;
            continue;
        }
        record = take(ring, at, &size);
        look.fault = record ? payload_fault(record, at) : "a record's size is invalid";
        if (look.fault)
            break;
        if (payload_time(record) && payload_time(record) < time)
            look.fault = "time runs backwards";
        if (payload_time(record))
            time = payload_time(record);
        look.whole++;
        at += size;
    }
    if (!look.fault && at != ring->head)
        look.fault = "a claim reaches past the head";
    if (!look.fault && look.unfinished != claims_in_effect(ring))
        look.fault = "the tail has passed a record that is being written";
    return look;
}

static bool claims_empty(const struct ring *ring)
{
    for (unsigned level = 0; level < RING_NESTING; level++)
        if (ring->claims[level].size)
            return false;
    return true;
}

/* Reads everything, as a reader on another CPU does. Returns NULL, or what is wrong. */
static const char *read_all(const struct ring *ring, uint64_t *count)
{
    struct ring_reader reader;
    uint64_t position;

    ring_reader_start(&reader, ring);
    for (*count = 0;; ++*count) {
        position = reader.position;
        if (ring_read(&reader, copied, sizeof(copied)) != RING_READ_RECORD)
            break;
        if (payload_fault(copied, position))
            return "the reader got a record that does not prove itself";
    }
    return position == ring->head && reader.skipped == 0 ? NULL : "the reader lost its way";
}

const char *ring_fault(const struct ring *ring, uint64_t consumed)
{
    struct ring_look look = ring_look(ring);
    uint64_t readable;

    if (look.fault)
        return look.fault;
    if (ring->nest || !claims_empty(ring))
        return "a writer seems to be under way";
    if (ring->published != ring->head)
        return "the newest records are not published";
    if (read_all(ring, &readable))
        return read_all(ring, &readable);
    if (readable != look.whole)
        return "the reader and the stopped machine's reader disagree";
    if (ring->produced != consumed + readable + ring->overwritten + ring->dropped)
        return "produced != readable + overwritten + dropped";
    return NULL;
}
