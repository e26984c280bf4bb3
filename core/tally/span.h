/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time from a hit of one event to the next hit of another in the same thread; if both have a
 * key field, it must have the same value: `--from lock:lock_acquire --to lock:lock_acquired`. Each
 * CPU keeps the times of its beginnings in a table of fixed size; both hits of a thread are on one
 * CPU. Called by core/tally/tally.c, in any context of the CPU that was hit.
 */
#pragma once

#include <stdint.h>

#include "core/tally/table.h"

/* The spans of one CPU; only that CPU writes to it. */
struct span_cpu {
    struct tally_table table; /* when it began, in ns; 0: it has ended */
    uint64_t again;           /* beginnings of spans that had already begun: the later beginning
                               * counts */
    uint64_t unbegun;         /* ends without a beginning */
    uint64_t lost;            /* beginnings that found no room */
};

void span_begin(struct span_cpu *here, const struct tally_key *key, uint64_t now);

/* False: the span had not begun. */
bool span_end(struct span_cpu *here, const struct tally_key *key, uint64_t now, uint64_t *time);

/* The sums over all CPUs, and how many spans have begun and not ended. Task context. */
struct span_sums {
    uint64_t again, unbegun, lost, open;
};
struct span_sums span_sum(const struct span_cpu *cpus);
