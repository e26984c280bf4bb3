/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks by sight (lock_seen.h) that give tickets: `lock xadd` of 1 to a word takes one, code then
 * waits until the word beside it, of the same width, has that number, and the holder gives the lock
 * back by storing the next number there. Called by lock_watch.c and lock_words.c, with the plugin's
 * lock unless a function says otherwise.
 *
 * Who has the lock is known: the thread whose load has found its own ticket. Against it: another
 * sum, a store of another number, or by another CPU, while it is taken or waited for.
 */
#pragma once

#include "outside/plugin/lock_seen.h"

/* The site is translated: its loads are watched from now on. True of one of them; needs no lock. */
void lock_tickets_expect(struct lock_site *site);
bool lock_tickets_has_load(uint64_t ip);

/* `lock xadd` has added a number; another instruction has stored there, by an exchange. */
void lock_tickets_add(unsigned cpu, struct lock_site *site, uint64_t address, uint64_t old,
                      uint64_t added);
void lock_tickets_exchange(unsigned cpu, uint64_t address, uint64_t value, unsigned length);

/* True if the CPU waits. Needs no lock. */
bool lock_tickets_waits(unsigned cpu);

/* It has read the value. */
void lock_tickets_load(unsigned cpu, uint64_t address, uint64_t value, unsigned length);

/* The value was stored; by an atomic instruction, if it is not, on several CPUs, its operand. */
void lock_tickets_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length);
void lock_tickets_atomic(unsigned cpu, uint64_t address, uint64_t value, unsigned length);

/* The machine was reset. */
void lock_tickets_reset(void);
