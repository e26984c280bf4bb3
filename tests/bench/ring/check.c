/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Before anything is measured: does the ring keep what it should, complete and in order, before it
 * is full, while the tail moves, and after some laps?
 */
#include <stdio.h>

#include "tests/bench/ring/measure.h"

bool check_writer(const struct writer *writer, unsigned payload)
{
    static struct side side;
    static const unsigned bursts[] = {1, 100, RING_BYTES / 24, 1, 5 * RING_BYTES / 24};

    if (!side_open(&side, writer, payload))
        return false;
    for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
        const char *fault;

        writer->burst(&side, bursts[i]);
        fault = writer->fault(&side);
        if (fault) {
            fprintf(stderr, "%s, %u bytes, after %llu events: %s\n", writer->name, payload,
                    (unsigned long long)side.event.sequence, fault);
            return false;
        }
    }
    writer->close(&side);
    return true;
}
