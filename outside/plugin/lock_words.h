/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks that no function's name tells: words that code takes by an exchange and gives back by a
 * store, as a spin lock that is compiled into its users. Called by kernel_locks.c, with the
 * plugin's lock unless a function says otherwise. QEMU 9.2 and later: values are read.
 *
 * A word is a lock if all of this was seen, and nothing against it:
 *
 *   - it is taken by an exchange that changes it from its free value to its taken one, always the
 *     same two: `xchg`, or `lock cmpxchg` that has stored;
 *   - the thread that took it, or its CPU, has given it back by storing the free value;
 *   - code that takes it waits for it: its loop leads back to the exchange through tests alone. So
 *     a flag, a counter, a list's head and a reference are none, and a try takes, but is not
 *     waited for.
 *
 * Against it: another value, or a store by another CPU while it is taken.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/decode_atomic.h"

/* An exchange in the kernel's code. */
struct lock_site {
    uint64_t ip, end;
    struct decoded_exchange exchange;
    enum { LOCK_SITE_NEW, LOCK_SITE_WAITS, LOCK_SITE_TRIES } found;
};

/* False: no memory. */
bool lock_words_begin(void);

/* The site at this instruction, of `size` bytes; NULL: no room. */
struct lock_site *lock_words_site(uint64_t ip, unsigned size,
                                  const struct decoded_exchange *exchange);

/* The exchange begins, accesses memory, and has ended. The second one needs no lock. */
void lock_words_before(unsigned cpu, struct lock_site *site);
void lock_words_accesses(unsigned cpu, uint64_t address);
void lock_words_after(unsigned cpu, struct lock_site *site);

/* False if no word is at this address. Needs no lock. */
bool lock_words_may_have(uint64_t address);

/* Other code has stored the value there, of so many bytes. */
void lock_words_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length);

/* The machine was reset. */
void lock_words_reset(void);

/* Exchanges that could not be followed for lack of room. */
uint64_t lock_words_lost(void);
