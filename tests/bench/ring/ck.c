/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Concurrency Kit's ring, for one producer and one consumer. When it is full, it drops the newest
 * event; to keep it, the writer then removes an event and tries again, which the ring's rules allow
 * only without a reader. Its slots have one size, and their number is a power of two. A writer may
 * not interrupt another.
 */
#include <ck_ring.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "tests/bench/ring/writers.h"

struct slot_16 {
    uint8_t bytes[EVENT_SIZE(16)];
};
struct slot_40 {
    uint8_t bytes[EVENT_SIZE(40)];
};
struct slot_64 {
    uint8_t bytes[EVENT_SIZE(64)];
};
struct slot_256 {
    uint8_t bytes[EVENT_SIZE(256)];
};

struct ck_side {
    ck_ring_t ring;
    void *slots;
};

static void *ck_open(struct side *side)
{
    struct ck_side *ck = aligned_alloc(64, sizeof(*ck));
    void *slots = aligned_alloc(4096, RING_BYTES);
    unsigned count = 1;

    while (2 * count * EVENT_SIZE(side->payload) <= RING_BYTES)
        count *= 2;
    if (!ck || !slots) {
        free(slots);
        free(ck);
        return NULL;
    }
    memset(slots, 0, RING_BYTES);
    ck_ring_init(&ck->ring, count);
    ck->slots = slots;
    return ck;
}

static void ck_close(struct side *side)
{
    struct ck_side *ck = side->ring;

    free(ck->slots);
    free(ck);
}

#define CK_WRITE(payload)                                                                          \
    CK_RING_PROTOTYPE(slot_##payload, slot_##payload)                                              \
                                                                                                   \
    __attribute__((noinline)) static void ck_write_##payload(struct ck_side *ck,                   \
                                                             struct event *event)                  \
    {                                                                                              \
        struct slot_##payload oldest;                                                              \
                                                                                                   \
        while (!ck_ring_enqueue_spsc_slot_##payload(&ck->ring, ck->slots, (void *)event))          \
            ck_ring_dequeue_spsc_slot_##payload(&ck->ring, ck->slots, &oldest);                    \
    }                                                                                              \
                                                                                                   \
    __attribute__((always_inline)) static inline void ck_burst_##payload(                          \
        struct side *side, unsigned count, bool clock)                                             \
    {                                                                                              \
        for (unsigned i = 0; i < count; i++) {                                                     \
            side->event.sequence++;                                                                \
            side->event.time = clock ? __rdtsc() : 0;                                              \
            ck_write_##payload(side->ring, &side->event);                                          \
        }                                                                                          \
    }

CK_WRITE(16)
CK_WRITE(40)
CK_WRITE(64)
CK_WRITE(256)

__attribute__((always_inline)) static inline void ck_burst(struct side *side, unsigned count,
                                                           bool clock)
{
    if (side->payload == 16)
        ck_burst_16(side, count, clock);
    else if (side->payload == 40)
        ck_burst_40(side, count, clock);
    else if (side->payload == 64)
        ck_burst_64(side, count, clock);
    else
        ck_burst_256(side, count, clock);
}

static void ck_burst_running(struct side *side, unsigned count)
{
    ck_burst(side, count, true);
}

static void ck_burst_still(struct side *side, unsigned count)
{
    ck_burst(side, count, false);
}

static const char *ck_fault(struct side *side)
{
    const struct ck_side *ck = side->ring;
    uint64_t last = 0, kept = ck_ring_size(&ck->ring), size = EVENT_SIZE(side->payload);
    const char *fault = NULL;

    for (uint64_t i = 0; i < kept && !fault; i++) {
        struct event event;

        memcpy(&event, (uint8_t *)ck->slots + size * ((ck->ring.c_head + i) & ck->ring.mask), size);
        fault = event_fault(&event, &last);
    }
    return fault ? fault : newest_fault(side, last, kept);
}

const struct writer writer_ck_running = {
    .name = "Concurrency Kit, spsc",
    .clock = true,
    .open = ck_open,
    .close = ck_close,
    .burst = ck_burst_running,
    .fault = ck_fault,
};
const struct writer writer_ck_still = {
    .name = "Concurrency Kit, spsc",
    .clock = false,
    .open = ck_open,
    .close = ck_close,
    .burst = ck_burst_still,
    .fault = ck_fault,
};
