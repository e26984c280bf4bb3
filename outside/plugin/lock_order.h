/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of locks: which lock was asked for by a thread that held which other one. Each pair of
 * locks is kept once, with the chains of both and with what else was held each time: two threads
 * that both hold a third lock cannot wait for each other. Called by outside/plugin/held.c, with the
 * plugin's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/held.h"

/* False: no memory. */
bool lock_order_begin(void);

/* The thread, which holds these locks, asks for the lock `to` at `place`: held[from] before it. */
void lock_order_add(uint32_t thread, struct lock *const *held, unsigned count, unsigned from,
                    struct lock *to, const struct wire_place *place);

/* Sends the orders of locks that are sound, and counts those that had no room. */
void lock_order_tell(uint64_t *lost, const struct lock *locks);
