/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which locks were taken, and its cycles: each of the threads of a cycle can hold one
 * of its locks, and wait for the next one. Called by outside/pitot/locks.c.
 *
 * A cycle is of locks, not of kinds of locks: objects that only look alike have none. It is none if
 * a third lock is held in two of its orders each time, because then no two threads are in them
 * together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

#define LOCK_CYCLE_MOST 6 /* locks of a cycle */

/* Each order's `to` is the next one's `from`, and the last one's the first one's. */
struct lock_cycle {
    size_t length;
    const struct wire_lock_order *orders[LOCK_CYCLE_MOST];
    size_t alike; /* cycles of other locks by the same code */
};

int lock_cycles_add(const struct wire_lock_order *order, struct refusal *why);

/*
 * Finds the cycles: the shortest one through each order, each once, and one of those by the same
 * code. Returns their number, and *cycles, which the caller frees; a negative errno: no memory.
 */
int lock_cycles_find(struct lock_cycle **cycles, struct refusal *why);

/* False if there were too many orders to look for all of them. */
bool lock_cycles_are_all(void);
