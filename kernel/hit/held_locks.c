/* SPDX-License-Identifier: BSD-2-Clause */
/* See held_locks.h. */
#include "kernel/hit/held_locks.h"

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
