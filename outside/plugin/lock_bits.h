/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks by sight (lock_seen.h) that are one bit of a word, whose others may be other locks, or
 * data: `lock bts` takes them, and code that clears the bit gives them back, as Linux' bit spin
 * locks. Called by kernel_locks.c and lock_words.c, with the plugin's lock unless a function says
 * otherwise.
 *
 * Against it: that the bit is set by anything else while it is not taken, or that an instruction
 * may have changed it of which QEMU does not tell what it has stored.
 */
#pragma once

#include "outside/plugin/lock_seen.h"

/* `lock bts` with a register begins. Needs no lock. */
void lock_bits_before(unsigned cpu, const struct lock_site *site);

/* It has read the value at the address. */
void lock_bits_test(unsigned cpu, struct lock_site *site, uint64_t address, uint64_t old);

/* Other code has stored the value there, of so many bytes; an exchange has. */
void lock_bits_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length);
void lock_bits_exchange(unsigned cpu, uint64_t address, unsigned length, uint64_t old,
                        uint64_t new);

/*
 * Another instruction with `lock` has. `value`: what it has stored, or, on several CPUs, what QEMU
 * tells instead: its operand. Of `and` and `btr` both have a bit that is cleared as 0, of `or` both
 * have one that is set as 1.
 */
void lock_bits_atomic(unsigned cpu, enum decoded_bits kind, uint64_t address, uint64_t value,
                      unsigned length);
