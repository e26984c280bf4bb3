/* SPDX-License-Identifier: BSD-2-Clause */
/* See spinlock.h. */
#include "kernel/lock/spinlock.h"

/*
 * The tracepoints of all locks. Fields are Linux's (docs/tracepoints.md), plus `name` where Linux
 * has none. `ret` is 0: a thread that waits always gets the lock.
 */

#define LOCK_FIELDS PITOT_FIELD(pointer, lockdep_addr, "%p"), PITOT_FIELD(text, name, " %s")

PITOT_TRACEPOINT(lock, lock_acquire, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, lock_acquired, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, lock_release, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, lock_contended, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, contention_begin, 3, PITOT_FIELD(pointer, lock_addr, "%p"),
                 PITOT_FIELD(text, name, " %s"), PITOT_FIELD(u32, flags, " (flags=%x)"));
PITOT_TRACEPOINT(lock, contention_end, 3, PITOT_FIELD(pointer, lock_addr, "%p"),
                 PITOT_FIELD(text, name, " %s"), PITOT_FIELD(s32, ret, " (ret=%d)"));

_Alignas(64) struct held_locks held_locks[ARCH_CPUS_MAX];

/*
 * Needed, for example, by a thread that goes to sleep: it takes the scheduler's lock, then releases
 * the wait queue's. Moves the later locks down, one store each; the caller clears the last entry.
 */
void held_locks_remove_inner(struct held_locks *here, const struct spinlock *lock)
{
    uint32_t last = here->count - 1, place = 0;

    while (place < last && here->lock[place] != lock)
        place++;
    for (; place < last; place++)
        here->lock[place] = here->lock[place + 1];
}
