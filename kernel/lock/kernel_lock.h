/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The big kernel lock, as kernels of the nineties had it: one for everything that has no lock of
 * its own, re-entrant, so that a function takes it without knowing whether its caller has. It is
 * here to be observed: which thread takes it, and by which call chain? Task context only. Its
 * holder may be preempted and may sleep; a thread that waits for it sleeps (docs/kernel.md says
 * why).
 *
 * What a watchpoint on kernel_flag sees: an outermost lock_kernel that need not wait touches it
 * once, by one exchange; the unlock_kernel that ends it once, by one store; inner pairs not at all.
 * A thread that has to wait tries the exchange once more before it sleeps; it is then given the
 * lock by an unlock_kernel that leaves the flag as it is.
 */
#pragma once

#include <stdint.h>

/*
 * 0 free, 1 taken. Global so that it has a symbol to watch; lock_kernel and unlock_kernel alone may
 * touch it.
 */
extern uint32_t kernel_flag;

void lock_kernel(void);
void unlock_kernel(void);

/* How often the lock was not free when it was asked for. */
uint64_t kernel_lock_contended(void);

/*
 * The thread that has it, NULL for none, and how many wait. Any context; on other CPUs it may
 * change at once.
 */
struct thread;
const struct thread *kernel_lock_holder(unsigned *waiters_count);
