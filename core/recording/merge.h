/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the records of all CPUs' rings in time order, while writers and the drain continue. Each
 * ring is in time order (docs/ring.md). Records that arrive after the start are omitted, because
 * printing a record may cause more than one. Any context; one reader per `struct ring_merge`.
 */
#pragma once

#include <stdint.h>

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "core/ring/ring.h"
#include "core/sample/sample.h"

struct ring_merge {
    unsigned count; /* rings */
    struct {
        struct ring_reader reader;
        uint64_t until; /* records at or after this position are omitted */
        uint64_t time;  /* of the next record; markers: no record is left, not read yet */
    } ring[ARCH_CPUS_MAX];
    _Alignas(8) uint8_t record[SAMPLE_SIZE_MAX];
};

/* Starts at each ring's oldest record. `count`: 1 to ARCH_CPUS_MAX. Some may have no memory. */
void ring_merge_start(struct ring_merge *merge, const struct ring *rings, unsigned count);

/*
 * Returns the next record, valid until the next call, or NULL at the end. Records that were
 * overwritten or consumed meanwhile are omitted. No record is followed by an older one.
 */
const struct perf_event_header *ring_merge_next(struct ring_merge *merge);
