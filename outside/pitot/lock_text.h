/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what `pitot locks` has found, on stderr: the table, and what is wrong. A lock is named by
 * its variable, or else by the place where it was first taken. Called by outside/pitot/locks.c.
 */
#pragma once

#include <stddef.h>

#include "outside/pitot/lock_cycles.h"
#include "outside/wire.h"

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
