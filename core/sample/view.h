/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses a PERF_RECORD_SAMPLE by the event's sample_type, in the layout that <linux/perf_event.h>
 * gives there. Reads only inside the record and refuses what does not fit, so it is safe on records
 * that a crash left half written. Pure: any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sample/records.h"

struct sample_view {
    const struct recorded_event *event;
    uint64_t ip, time, addr, period;
    uint32_t pid, tid, cpu;
    const uint64_t *chain; /* chain_length entries, PERF_CONTEXT_* markers included */
    size_t chain_length;
    const void *raw; /* raw_size bytes, at a multiple of 8 plus 4; NULL if there are none */
    size_t raw_size;
    uint64_t registers_abi;    /* PERF_SAMPLE_REGS_ABI_*: NONE if there are none */
    const uint64_t *registers; /* in the order of the set bits of event->attr.sample_regs_intr */
    size_t register_count;
};

/*
 * Returns false if the record is not a sample of these events, or if its fields do not match its
 * size. The `size` bytes that the record's header gives must be readable. Absent fields are 0; an
 * absent period is the event's sample_period, as in perf.
 */
bool sample_view_parse(const struct perf_event_header *record, const struct recorded_event *events,
                       size_t event_count, struct sample_view *view);

/* Returns the time of a record of any type in the rings. */
uint64_t sample_time(const struct perf_event_header *header);

/*
 * Iterates over a chain's addresses in the order that the reader wants, without the PERF_CONTEXT_*
 * markers. As in perf, their number can be limited; those that come first are kept.
 */
struct chain_walk {
    const uint64_t *chain;
    size_t length, seen; /* entries, markers included */
    size_t given, most;  /* addresses: returned so far, and at most */
    bool caller;
};

#define CHAIN_WALK_MOST PERF_MAX_STACK_DEPTH /* the largest `most` */

/* `caller`: the outermost caller comes first; otherwise the address of the hit does. */
void chain_walk_start(struct chain_walk *walk, const struct sample_view *view, bool caller,
                      size_t most);

/* Returns false at the end. */
bool chain_walk_next(struct chain_walk *walk, uint64_t *address);
