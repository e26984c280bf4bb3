/* SPDX-License-Identifier: BSD-2-Clause */
/* See merge.h. */
#include "core/recording/merge.h"

#include "arch/local.h"
#include "core/lib/assert.h"
#include "core/sample/records.h"

#define NOTHING UINT64_MAX
#define UNKNOWN (UINT64_MAX - 1)

void ring_merge_start(struct ring_merge *merge, const struct ring *rings, unsigned count)
{
    assert(count > 0 && count <= sizeof(merge->ring) / sizeof(merge->ring[0]));
    merge->count = count;
    for (unsigned i = 0; i < count; i++) {
        ring_reader_start(&merge->ring[i].reader, &rings[i]);
        merge->ring[i].until = publish_load(&rings[i].published);
        merge->ring[i].time = rings[i].bytes ? UNKNOWN : NOTHING;
    }
}

/* Reads a record into merge->record and returns its time. */
static uint64_t ring_merge_read(struct ring_merge *merge, struct ring_reader *reader)
{
    if (ring_read(reader, merge->record, sizeof(merge->record)) != RING_READ_RECORD)
        return NOTHING;
    return sample_time((const struct perf_event_header *)merge->record);
}

/* Stores the time of the ring's next record without consuming the record. */
static void ring_merge_peek(struct ring_merge *merge, unsigned i)
{
    struct ring_reader ahead = merge->ring[i].reader;

    merge->ring[i].time = NOTHING;
    if (ahead.position < merge->ring[i].until) {
        uint64_t time = ring_merge_read(merge, &ahead);

        if (ahead.position <= merge->ring[i].until)
            merge->ring[i].time = time;
    }
}

static unsigned ring_merge_oldest(struct ring_merge *merge)
{
    unsigned oldest = 0;

    for (unsigned i = 0; i < merge->count; i++) {
        if (merge->ring[i].time == UNKNOWN)
            ring_merge_peek(merge, i);
        if (merge->ring[i].time < merge->ring[oldest].time)
            oldest = i;
    }
    return oldest;
}

/* Chooses again if the record was overwritten: that ring's next record may not be the oldest. */
const struct perf_event_header *ring_merge_next(struct ring_merge *merge)
{
    for (;;) {
        unsigned oldest = ring_merge_oldest(merge);
        struct ring_reader ahead = merge->ring[oldest].reader;
        uint64_t time = merge->ring[oldest].time;

        if (time == NOTHING)
            return NULL;
        merge->ring[oldest].time = UNKNOWN;
        if (ring_merge_read(merge, &ahead) == time) {
            merge->ring[oldest].reader = ahead;
            return (const struct perf_event_header *)merge->record;
        }
    }
}
