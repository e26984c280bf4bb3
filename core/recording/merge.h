/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of all CPUs' rings as one row in order of time, for the readers of a recording
 * (core/recording/recording.c), while writers and a drain continue. Each ring is in order by itself
 * (docs/ring.md). Records that arrive after the start are left out: printing a record may itself
 * cause more than one. Any context; one reader at a time for each `struct ring_merge`.
 */
#pragma once

#include <stdint.h>

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "core/ring/ring.h"
#include "core/sample/sample.h"

struct ring_merge {
    unsigned count; /* of rings */
    struct {
        struct ring_reader reader;
        uint64_t until; /* the position after the last record that is of interest */
        uint64_t time;  /* of the next record; or: there is none; or: not looked at yet */
    } ring[ARCH_CPUS_MAX];
    _Alignas(8) uint8_t record[SAMPLE_SIZE_MAX];
};

/* At the oldest record of `count` rings, ARCH_CPUS_MAX at most; one without memory is empty. */
void ring_merge_start(struct ring_merge *merge, const struct ring *rings, unsigned count);

/*
 * The next record, or NULL at the end; valid until the next call. A record that is taken over or
 * consumed before its turn is passed over; no record comes before an older one.
 */
const struct perf_event_header *ring_merge_next(struct ring_merge *merge);
