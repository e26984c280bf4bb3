/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The big kernel lock, as in kernels of the nineties: re-entrant, and covers everything that has no
 * lock of its own. It exists to be observed. Task context only. Its holder may be preempted and may
 * sleep; waiters sleep (docs/kernel.md).
 *
 * A watchpoint on kernel_flag sees one exchange for an outermost lock_kernel that need not wait,
 * one store for its unlock_kernel, and nothing for inner pairs. A waiter tries the exchange once
 * more before it sleeps; unlock_kernel then hands it the lock and leaves the flag unchanged.
 */
#pragma once

#include <stdint.h>

/* 0: free, 1: taken. Global for its symbol; only lock_kernel and unlock_kernel may access it. */
extern uint32_t kernel_flag;

void lock_kernel(void);
void unlock_kernel(void);

/* Number of attempts that found the lock taken. */
uint64_t kernel_lock_contended(void);

/*
 * Returns the holder (NULL: none) and stores the number of waiters. Any context; both may change at
 * any time.
 */
struct thread;
const struct thread *kernel_lock_holder(unsigned *waiters_count);

/*
 * Keeps functions visible in call chains. This costs a call, so it is used only for functions that
 * exist to be observed, such as those that take the kernel lock: a static function keeps its frame
 * (noinline) and its name (used: no .isra or .part clones).
 */
#define VISIBLE __attribute__((noinline, used))
