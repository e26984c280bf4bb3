/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's locks: which thread holds which, in what order they are taken, and what waiting for
 * them and holding them costs. What a lock is, and when it is taken, is decided by
 * lock_functions.c and lock_seen.c; this is what follows from it. Called by them, kernel_locks.c
 * and judges.c, with the plugin's lock.
 *
 * A lock is held by a thread: a stack. The handler of an interrupt runs on the stack that it
 * interrupted, and so holds what that holds: it cannot give it back before it returns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

struct lock {
    uint64_t address;
    uint32_t number; /* from 1 */
    unsigned flags;  /* enum wire_lock_flags */
    bool sound;      /* WIRE_LOCK_SEEN: is a lock by all that was seen */
    bool ordered;    /* there is an order with it */

    /* While it is held: depth > 0. */
    unsigned depth; /* its holder may take it again */
    unsigned cpu;
    uint32_t thread;
    uint64_t since;
    unsigned handlers; /* that its holder's stack had */
    bool tried;        /* taken without waiting */
    struct wire_place by;
    struct wire_lock_moment leaves; /* its holder was left */

    struct wire_lock told; /* the sums */
};

/* False: no memory. */
bool held_begin(void);

/* The lock at the address, perhaps a new one; NULL: no room. */
struct lock *held_lock(uint64_t address, unsigned flags);

/* What is at the address from now on is another lock. Returns it, as held_lock. */
struct lock *held_renew(uint64_t address, unsigned flags);

/* True if another thread than the CPU's holds it. */
bool held_by_another(unsigned cpu, const struct lock *lock);

/* The CPU's thread asks for a lock, and waits until it has it. */
void held_wants(unsigned cpu, struct lock *lock, const struct wire_place *place);

/* A lock is taken. */
struct held_taking {
    struct wire_place place;
    bool waits;      /* it was waited for, or would have been */
    bool contended;  /* another thread held it */
    uint64_t waited; /* instructions of this CPU */
    bool moved;      /* the wait began on another CPU, so its length is not known */
};

void held_takes(unsigned cpu, struct lock *lock, const struct held_taking *taking);

/* Any thread may give a lock back. */
void held_gives(unsigned cpu, struct lock *lock);

/* It was given back, or never was a lock, without a word. */
void held_drops(struct lock *lock);

/* The CPU turns interrupts on, or halts. */
void held_opens(unsigned cpu, const struct wire_place *place);
void held_halts(unsigned cpu, const struct wire_place *place);

/* Before and after the CPU may have gone to another thread. */
void held_before_switch(unsigned cpu);
void held_after_switch(unsigned cpu);

/* The machine was reset. */
void held_reset(void);

/* At the end: sends all locks, and counts what had no room. */
void held_tell(struct wire_locks *totals);

/*
 * --- Which lock was asked for by a thread that held which other one: lock_order.c ---
 *
 * Each pair of locks is kept once, with the chains of both and with what else was held each time:
 * two threads that both hold a third lock cannot wait for each other. Called by held.c.
 */

/* False: no memory. */
bool lock_order_begin(void);

/* The thread, which holds these locks, asks for the lock `to` at `place`: held[from] before it. */
void lock_order_add(uint32_t thread, struct lock *const *held, unsigned count, unsigned from,
                    struct lock *to, const struct wire_place *place);

/* Sends the orders of locks that are sound, and counts those that had no room. */
void lock_order_tell(uint64_t *lost, const struct lock *locks);
