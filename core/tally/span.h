/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time from a hit of one event to the next hit of another, in the same thread and, where both
 * have such a field, with the same value in it: `--from lock:lock_acquire --to lock:lock_acquired`.
 * Each CPU keeps when what began there, in a table of fixed size; a thread's two hits are on one
 * CPU. Called by core/tally/tally.c, in any context of the CPU that was hit.
 */
#pragma once

#include <stdint.h>

#include "core/tally/table.h"

/* The spans of one CPU, which alone writes to it. */
struct span_cpu {
    struct tally_table table; /* when it began, in ns; 0: it has ended */
    uint64_t again;           /* beginnings whose like had not ended: the later one counts */
    uint64_t unbegun;         /* ends of what had not begun */
    uint64_t lost;            /* beginnings that found no room */
};

void span_begin(struct span_cpu *here, const struct tally_key *key, uint64_t now);

/* False: it had not begun. */
bool span_end(struct span_cpu *here, const struct tally_key *key, uint64_t now, uint64_t *time);

/* The sums over CPUs, and what has begun and not ended. Task context. */
struct span_sums {
    uint64_t again, unbegun, lost, open;
};
struct span_sums span_sum(const struct span_cpu *cpus);
