/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans: the time from a hit of one event to the next hit of another in the same thread, as in
 * `--from lock:lock_acquire --to lock:lock_acquired`. If the events have a span field, its value
 * must be equal in both hits. Each CPU keeps the start times of its hits in a table of fixed size.
 * Any context of the CPU that was hit.
 */
#pragma once

#include <stdint.h>

#include "core/aggregate/table.h"

/* [owning CPU] */
struct span_cpu {
    struct aggregate_table table; /* start times in ns; 0: the span has ended */
    uint64_t again;               /* starts of spans already started; the later start counts */
    uint64_t unbegun;             /* ends without a start */
    uint64_t lost;                /* starts that found no room */
};

void span_begin(struct span_cpu *here, const struct aggregate_key *key, uint64_t now);

/* Returns false if the span has not begun. */
bool span_end(struct span_cpu *here, const struct aggregate_key *key, uint64_t now, uint64_t *time);

/* Adds the sums over all CPUs; `open`: spans that have begun and not ended. Task context. */
struct span_sums {
    uint64_t again, unbegun, lost, open;
};
void span_sums_add(struct span_sums *sums, const struct span_cpu *cpus);
