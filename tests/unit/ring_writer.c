/* SPDX-License-Identifier: BSD-2-Clause */
/* The interruptible writer of the ring's tests (ring_writer.h). */
#include "tests/unit/ring_writer.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"

struct writer_hooks writer_hooks;

static uint64_t nanoseconds;

static void run_once(void (**hook)(void))
{
    void (*now)(void) = *hook;

    *hook = NULL;
    if (now)
        now();
}

/* May be interrupted anywhere, like a real clock; the hook makes the returned time an old one. */
uint64_t arch_clock_ns(void)
{
    local_increment(&nanoseconds);
    uint64_t now = local_load(&nanoseconds);

    run_once(&writer_hooks.claiming);
    return now;
}

bool writer_put(struct ring *ring, uint32_t size)
{
    static uint64_t scratch[RING_NESTING][RING_RECORD_MAX / 8];
    struct ring_record record;
    bool room = ring_reserve(ring, size, &record);

    if (room) {
        run_once(&writer_hooks.claimed);
        payload_fill(scratch[record.level], size, record.level, record.offset, record.time);
        ring_write(ring, &record, scratch[record.level], size);
        run_once(&writer_hooks.written);
    }
    ring_commit(ring, &record);
    return room;
}

void writer_start_at(struct ring *ring, uint64_t position)
{
    ring->head = position;
    ring->published = position;
    ring->tail = position;
}
