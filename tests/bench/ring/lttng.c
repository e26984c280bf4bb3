/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LTTng-UST: tracepoints into a channel in overwrite mode, whose rings (one per CPU, RING_BYTES
 * each) belong to the session that ring.pl has created. Their contents can only be read from
 * outside: at the end ring.pl takes a snapshot and finds the newest event in it. LTTng always reads
 * its own clock. Compiled like any program that uses it.
 */
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/ring/lttng_events.inc"
#include "tests/bench/ring/writers.h"

static void *lttng_open(struct side *side)
{
    return side;
}

static void lttng_close(struct side *side)
{
    (void)side;
}

static void lttng_burst(struct side *side, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        side->event.sequence++;
        if (side->payload == 16)
            lttng_ust_tracepoint(pitot_bench, payload_16, &side->event.mark);
        else if (side->payload == 40)
            lttng_ust_tracepoint(pitot_bench, payload_40, &side->event.mark);
        else if (side->payload == 64)
            lttng_ust_tracepoint(pitot_bench, payload_64, &side->event.mark);
        else
            lttng_ust_tracepoint(pitot_bench, payload_256, &side->event.mark);
    }
}

static const char *lttng_missing(void)
{
    return lttng_ust_tracepoint_enabled(pitot_bench, payload_16) &&
                   lttng_ust_tracepoint_enabled(pitot_bench, payload_40) &&
                   lttng_ust_tracepoint_enabled(pitot_bench, payload_64) &&
                   lttng_ust_tracepoint_enabled(pitot_bench, payload_256)
               ? NULL
               : "no session has its tracepoints on; ring.pl makes one with lttng-tools "
                 "(tools/packages bench)";
}

static const char *lttng_fault(struct side *side)
{
    (void)side;
    return lttng_missing();
}

const struct writer writer_lttng = {
    .name = "LTTng-UST, snapshot mode",
    .clock = true,
    .missing = lttng_missing,
    .open = lttng_open,
    .close = lttng_close,
    .burst = lttng_burst,
    .fault = lttng_fault,
};
