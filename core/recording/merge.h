/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the records of all CPUs' rings in order of time, for the readers of a recording
 * (core/recording/recording.c), while writers and the drain continue. Each ring is in order by
 * itself (docs/ring.md). Records that arrive after the start are left out: printing a record may
 * itself cause more than one. Any context; one reader at a time for each `struct ring_merge`.
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
        uint64_t until; /* up to this position, records are wanted */
        uint64_t time;  /* of the next record; or a mark: none is left, or not yet noted */
    } ring[ARCH_CPUS_MAX];
    _Alignas(8) uint8_t record[SAMPLE_SIZE_MAX];
};

/*
 * Starts at the oldest records of `count` rings, at most ARCH_CPUS_MAX; a ring without memory is
 * empty.
 */
void ring_merge_start(struct ring_merge *merge, const struct ring *rings, unsigned count);

/*
 * Returns the next record, valid until the next call, or NULL at the end. A record that is
 * overwritten or consumed before its turn is left out. No record comes before an older one.
 */
const struct perf_event_header *ring_merge_next(struct ring_merge *merge);
