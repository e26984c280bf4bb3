/* SPDX-License-Identifier: BSD-2-Clause */
/* See held_locks.h. */
#include "core/lock/held_locks.h"

_Alignas(64) struct held_locks held_locks[ARCH_CPUS_MAX];

/*
 * Who sleeps lets go of the wait queue's lock behind taking the scheduler's. The others move down,
 * one store each: the last place is the caller's to clear.
 */
void held_locks_remove_inner(struct held_locks *here, const struct spinlock *lock)
{
    uint32_t last = here->count - 1, place = 0;

    while (place < last && here->lock[place] != lock)
        place++;
    for (; place < last; place++)
        here->lock[place] = here->lock[place + 1];
}
