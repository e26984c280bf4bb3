/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ticks.h. `ticks` is a good thing to watch: its call chain leads through the interrupt into
 * what was interrupted.
 */
#include "core/ticks.h"

#include "core/perf/tracepoint.h"

#define TICK_FIELDS(FIELD, of) FIELD(of, u64, count, "count=%lu")

TRACEPOINT_DECLARE(tick, TICK_FIELDS);
TRACEPOINT_DEFINE(timer, tick, TICK_FIELDS);

volatile uint64_t ticks;

void ticks_count(void)
{
    ticks++;
    TRACE(tick, ticks);
}
