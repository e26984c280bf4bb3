/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks that no function's name tells: those that an exchange takes, those that are one bit
 * (lock_words.c) and those that give tickets (lock_tickets.c); first what they have in common.
 * Called by lock_watch.c, with the plugin's lock unless a function says otherwise. QEMU 9.2 and
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

/* The value's first bytes: what so many hold. */
static inline uint64_t lock_seen_part(uint64_t value, unsigned width)
{
    return width < sizeof(value) ? value & ((UINT64_C(1) << 8 * width) - 1) : value;
}

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

/*
 * --- Words: lock_words.c ---
 *
 * Code takes them by an exchange and gives them back by a store, as a spin lock that is compiled
 * into its users. A word is a lock if all of this was seen, and nothing against it:
 *
 *   - it is taken by an exchange that changes it from its free value to its taken one, always the
 *     same two: `xchg`, or `lock cmpxchg` that has stored;
 *   - the thread that took it, or its CPU, has given it back by storing the free value;
 *   - code that takes it waits for it.
 *
 * Against it: another value.
 */

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

/*
 * --- Bits of a word: lock_words.c ---
 *
 * The word's other bits may be other locks, or data: `lock bts` takes them, and code that clears
 * the bit gives them back, as Linux' bit spin locks. Against it: that the bit is set by anything
 * else while it is not taken, or that an instruction may have changed it of which QEMU does not
 * tell what it has stored.
 */

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

/*
 * --- Tickets: lock_tickets.c ---
 *
 * `lock xadd` of 1 to a word takes one, code then waits until the word beside it, of the same
 * width, has that number, and the holder gives the lock back by storing the next number there.
 *
 * Who has the lock is known: the thread whose load has found its own ticket. Against it: another
 * sum, a store of another number, or by another CPU, while it is taken or waited for.
 */

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
