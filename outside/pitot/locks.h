/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of `pitot locks`: the functions of locks, the order in which locks are taken, and how
 * all that is printed. Called by outside/pitot/locks.c, and the functions by trace_locks.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"
#include "outside/request.h"
#include "outside/wire.h"

/* --- Functions: lock_functions.c --- */

/*
 * The functions by which a kernel takes its locks and gives them back: those of --lock, --mutex,
 * --trylock, --unlock and --lock-init, or else those whose names are known; and those of --wait and
 * --wake.
 */
struct lock_function {
    struct request_lock_function asked;
    const char *name;
    unsigned family; /* of known names: functions for the same locks; 0: the name was given */
};

struct lock_functions {
    size_t count;
    bool given; /* by options: they are all that take locks */
    struct lock_function function[LOCK_FUNCTIONS_MOST];
};

/*
 * Finds them; there may be none. Refuses a name that the kernel does not have, and names that take
 * without one that gives back, or the reverse.
 */
int lock_functions_find(struct lock_functions *functions, const struct pitot_options *options,
                        const struct kernel *kernel, struct refusal *why);

/* Finds those of --wait and --wake, which are spelt as the others; there may be none. */
int lock_functions_find_wakes(struct lock_functions *functions, const struct pitot_options *options,
                              const struct kernel *kernel, struct refusal *why);

/* --- Orders, and their cycles: lock_cycles.c --- */

/*
 * Each of the threads of a cycle can hold one of its locks, and wait for the next one.
 *
 * A cycle is of locks, not of kinds of locks: objects that only look alike have none. It is none if
 * a third lock is held in two of its orders each time, because then no two threads are in them
 * together.
 */

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

/* --- As text, on stderr: lock_text.c --- */

/* A lock is named by its variable, or else by the place where it was first taken. */

/* All locks, sorted by number, which stay where they are. */
void lock_text_locks(const struct wire_lock *locks, size_t count);

/* The table of the `most` rows with the most waits and holds. */
int lock_text_table(size_t most, struct refusal *why);

void lock_text_cycle(const struct lock_cycle *cycle);

/* A lock that is held with interrupts on, and taken by a handler. */
void lock_text_inversion(const struct wire_lock *lock);

/* A moment at which a lock was held: `title` is what happened then, `what` the place. */
void lock_text_moment(const struct wire_lock *lock, const struct wire_lock_moment *moment,
                      const char *title, const char *what);

/* A lock that is held at the end, and those who wait for it. */
void lock_text_held(const struct wire_lock *lock, const struct wire_lock_wait *waits, size_t count);

/* Times with interrupts off, the longest first. */
void lock_text_masked(const struct wire_masked *times, size_t count);
