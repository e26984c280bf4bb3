/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks that no function's name tells: what those that an exchange takes (lock_words.h), those that
 * are one bit (lock_bits.h) and those that give tickets (lock_tickets.h) have in common. Called by
 * them and kernel_locks.c, with the plugin's lock unless a function says otherwise. QEMU 9.2 and
 * later: values are read.
 *
 * What is seen is told only if code that takes it waits for it: its loop leads back through tests
 * alone. So a flag, a counter, a list's head and a reference are no locks, and a try takes, but is
 * not waited for. Against it: a store by another CPU than its holder's while it is taken, or by a
 * handler that has interrupted the holder; and that it is taken again though no store gave it back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/decode.h"
#include "outside/plugin/follow.h"

/* An instruction of the kernel's that may take a lock. */
struct lock_site {
    uint64_t ip, end;
    struct decoded_exchange exchange;
    enum lock_site_kind {
        LOCK_SITE_NEW,
        LOCK_SITE_WAITS,
        LOCK_SITE_SPINS, /* waits for another word, with these loads: */
        LOCK_SITE_TRIES,
    } found;
    uint64_t loads[DECODED_LOADS_MOST];
};

/* What may be a lock. */
struct seen {
    uint64_t address; /* 0: free */
    unsigned part;    /* 0: a word; else 1 + the number of a bit, of 4 bytes at the address */

    /* Of a word (lock_words.c): `known`: its values are; `bits`: those that may be locks. */
    bool known;
    unsigned width;
    uint64_t free, held;
    uint32_t bits;

    /* Of a word that gives tickets (lock_tickets.c), whose held one is `held`. */
    bool tickets;
    uint64_t serving; /* address of the word that has the ticket whose turn it is; 0: not known */

    bool queues;  /* code waits for another word after an exchange of this one */
    bool broken;  /* it is no lock */
    bool waits;   /* some code waits for it */
    bool taken;   /* by this thread, on this CPU: */
    bool counted; /* ... and held.c is told of it */
    uint32_t thread;
    unsigned cpu, handlers;
    uint64_t late[FOLLOW_CPUS / 64]; /* CPUs whose store has not been told yet, but was made */
    struct lock *lock;
};

/* False: no memory. */
bool lock_seen_begin(void);

/* Registers the callbacks of an instruction that is translated (lock_watch.c). */
struct instruction;
void lock_seen_watch(const struct instruction *instruction);

/* The site at this instruction, of `size` bytes; NULL: no room. */
struct lock_site *lock_seen_site(uint64_t ip, unsigned size,
                                 const struct decoded_exchange *exchange);

/* True if code waits after the site for another word. Reads it, the first time. */
bool lock_seen_spins(unsigned cpu, struct lock_site *site);

/* False: what is stored at this address changes none. Needs no lock. */
bool lock_seen_may_be(uint64_t address);

/* ... from now on true. */
void lock_seen_expect(uint64_t address);

/* `address` of the result is 0 if there is none; NULL: no room. */
struct seen *lock_seen_find(uint64_t address, unsigned part);
struct seen *lock_seen_add(uint64_t address, unsigned part);

/* It is no lock, whatever it looked like; it is another one from now on. */
void lock_seen_break(struct seen *seen);
void lock_seen_renew(struct seen *seen);

/* The CPU has taken it at the site, which it may have been by another one; or has failed to. */
void lock_seen_take(unsigned cpu, struct seen *seen, struct lock_site *site);
void lock_seen_fail(unsigned cpu, struct seen *seen, struct lock_site *site);

/* True, once, if the CPU's store was noticed before it is told, by another one's taking. */
bool lock_seen_is_late(unsigned cpu, struct seen *seen);

/* The CPU has made it free, while it was taken. */
void lock_seen_free(unsigned cpu, struct seen *seen);

/* The machine was reset. */
void lock_seen_reset(void);

/* Words that code waits behind, as a queue, of which nothing tells who has them. */
uint64_t lock_seen_queues(void);

/* What could not be followed for lack of room. */
uint64_t lock_seen_lost(void);
