/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and checks each record in the ring of the last recording, for
 * tests/kernel/everything_suite.c. Task context, the recording stopped.
 */
#pragma once

#include "core/recording/recording.h"

struct everything_walk {
    uint64_t samples, throttles; /* the latter: including those that report an end */
    uint64_t malformed;          /* neither, or not what its event writes; the first is printed */
    uint64_t backwards;          /* older than the previous one */
    uint64_t skipped;            /* bytes that the reader could not interpret */
    uint64_t inside;             /* samples of `inside_of` whose chain was taken while a tracepoint
                                  * was being recorded */
    uint64_t of_programs;        /* samples whose chain continues into a program */
    uint64_t by_event[RECORDING_EVENTS_MAX];
};

struct everything_walk everything_walk(const struct record_source *source, size_t inside_of);
