/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This kernel's unmodified ring (core/ring/ring.c), in overwrite mode: by ring_output, like a
 * sample, and by its three parts. Compiled with the kernel's flags.
 */
#include <stdlib.h>
#include <string.h>

#include "core/ring/ring.h"
#include "tests/bench/ring/writers.h"
#include "tests/unit/ring_parts.h"

static void *pitot_open(struct side *side)
{
    struct ring *ring = aligned_alloc(64, (sizeof(*ring) + 63) / 64 * 64);
    void *memory = aligned_alloc(4096, RING_BYTES);

    (void)side;
    if (!ring || !memory || ring_init(ring, memory, RING_BYTES, RING_OVERWRITE, false, NULL)) {
        free(memory);
        free(ring);
        return NULL;
    }
    memset(memory, 0, RING_BYTES);
    return ring;
}

static void pitot_close(struct side *side)
{
    struct ring *ring = side->ring;

    free(ring->bytes);
    free(ring);
}

static void output_burst(struct side *side, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        side->event.sequence++;
        ring_output(side->ring, &side->event, side->event.header.size, &side->event.time);
    }
}

static void parts_burst(struct side *side, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct ring_record record;

        side->event.sequence++;
        if (ring_reserve(side->ring, side->event.header.size, &record)) {
            side->event.time = record.time;
            ring_write(side->ring, &record, &side->event, side->event.header.size);
        }
        ring_commit(side->ring, &record);
    }
}

static const char *pitot_fault(struct side *side)
{
    const struct ring *ring = side->ring;
    struct ring_reader reader;
    uint64_t last = 0, kept = 0;
    struct event event;
    const char *fault = NULL;

    ring_reader_start(&reader, ring);
    while (!fault && ring_read(&reader, &event, sizeof(event)) == RING_READ_RECORD) {
        fault = event_fault(&event, &last);
        kept++;
    }
    if (!fault && (ring->dropped || reader.skipped || kept + ring->overwritten != ring->produced))
        fault = "the account is wrong";
    return fault ? fault : newest_fault(side, last, kept);
}

const struct writer OF_CLOCK(writer_output_) = {
    .name = "Pitot, ring_output",
    .clock = HAS_CLOCK,
    .open = pitot_open,
    .close = pitot_close,
    .burst = output_burst,
    .fault = pitot_fault,
};
const struct writer OF_CLOCK(writer_parts_) = {
    .name = "Pitot, reserve write commit",
    .clock = HAS_CLOCK,
    .open = pitot_open,
    .close = pitot_close,
    .burst = parts_burst,
    .fault = pitot_fault,
};
