/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The big kernel lock, as in kernels of the nineties: one lock for everything that has no lock of
 * its own, re-entrant, so that a function takes it without knowing whether its caller holds it. It
 * exists to be observed: which thread takes it, and by which call chain? Task context only. Its
 * holder may be preempted and may sleep; a thread that waits for it sleeps (docs/kernel.md explains
 * why).
 *
 * A watchpoint on kernel_flag sees one exchange for an outermost lock_kernel that need not wait,
 * one store for its unlock_kernel, and nothing for inner pairs. A thread that has to wait tries the
 * exchange once more before it sleeps; an unlock_kernel then hands it the lock and leaves the flag
 * unchanged.
 */
#pragma once

#include <stdint.h>

/*
 * 0 free, 1 taken. Global so that it has a symbol to watch; only lock_kernel and unlock_kernel may
 * touch it.
 */
extern uint32_t kernel_flag;

void lock_kernel(void);
void unlock_kernel(void);

/* Number of attempts that found the lock taken. */
uint64_t kernel_lock_contended(void);

/*
 * The holder (NULL: none) and the number of waiting threads. Any context; other CPUs may change
 * both at any time.
 */
struct thread;
const struct thread *kernel_lock_holder(unsigned *waiters_count);
