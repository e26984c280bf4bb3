/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks by sight (lock_seen.h) that are words: code takes them by an exchange and gives them back
 * by a store, as a spin lock that is compiled into its users. Called by kernel_locks.c, with the
 * plugin's lock unless a function says otherwise.
 *
 * A word is a lock if all of this was seen, and nothing against it:
 *
 *   - it is taken by an exchange that changes it from its free value to its taken one, always the
 *     same two: `xchg`, or `lock cmpxchg` that has stored;
 *   - the thread that took it, or its CPU, has given it back by storing the free value;
 *   - code that takes it waits for it.
 *
 * Against it: another value.
 */
#pragma once

#include "outside/plugin/lock_seen.h"

/* The exchange begins, accesses memory, and has ended. The second one needs no lock. */
void lock_words_before(unsigned cpu, struct lock_site *site);
void lock_words_accesses(unsigned cpu, uint64_t address);
void lock_words_after(unsigned cpu, struct lock_site *site);

/* Other code has stored the value there, of so many bytes. */
void lock_words_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length);

/* Another atomic instruction has; `value` may be its operand. */
void lock_words_atomic(unsigned cpu, enum decoded_bits kind, uint64_t address, uint64_t value,
                       unsigned length);

/* The machine was reset. */
void lock_words_reset(void);
