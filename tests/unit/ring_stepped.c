/* SPDX-License-Identifier: BSD-2-Clause */
/* See ring_stepped.h. */
#include "tests/unit/ring_stepped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"

#define BOUNDARIES_LEAST 60

void stepped_put(struct ring *ring, uint32_t size)
{
    static uint64_t scratch[RING_NESTING][RING_SIZE_MIN / 8];
    struct ring_record record;
    bool room;

    step_on();
    room = ring_reserve(ring, size, &record);
    step_off();
    if (room) {
        payload_fill(scratch[record.level], size, record.level, record.offset, record.time);
        step_on();
        ring_write(ring, &record, scratch[record.level], size);
        step_off();
    }
    step_on();
    ring_commit(ring, &record);
    step_off();
}

void stepped_through(const struct step_plan *plan)
{
    struct step_result result = step_through(plan);

    if (result.wrong)
        fail_msg("wrong after %u of %u boundaries", result.wrong, result.boundaries);
    assert_true(result.boundaries * plan->stride > BOUNDARIES_LEAST);
}
