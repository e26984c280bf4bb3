/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The big kernel lock (what it promises: kernel_lock.h). Called by core/fs, once an operation;
 * task context, interrupts on.
 */
#include "core/lock/kernel_lock.h"

#include "arch/arch.h"
#include "core/assert.h"
#include "core/lock/lock_trace.h"

/* Aligned, so that one debug register watches all of it and nothing else. */
uint32_t kernel_flag __attribute__((aligned(4)));

/*
 * How often the task now running on each CPU has taken the lock; only that CPU touches its own. A
 * holder does not sleep, so it stays the CPU's task until it has let go, and the CPU's number can
 * stand for the task.
 */
static unsigned held[ARCH_CPUS_MAX];

/* noinline, here and below: a hit's chain begins with the function that touched kernel_flag. */
__attribute__((noinline)) void lock_kernel(void)
{
    unsigned *depth = &held[arch_cpu_id()];

    if ((*depth)++ > 0)
        return;

    TRACE(lock_acquire, &kernel_flag, "kernel_flag");
    /* A, with unlock_kernel. Who waits only reads, so as not to fight for the cache line. */
    while (__atomic_exchange_n(&kernel_flag, 1, __ATOMIC_ACQUIRE) != 0) {
        TRACE(lock_contended, &kernel_flag, "kernel_flag");
        while (__atomic_load_n(&kernel_flag, __ATOMIC_RELAXED) != 0)
            arch_relax();
    }
    TRACE(lock_acquired, &kernel_flag, "kernel_flag");
}

__attribute__((noinline)) void unlock_kernel(void)
{
    unsigned *depth = &held[arch_cpu_id()];

    assert(*depth > 0);
    if (--*depth > 0)
        return;

    TRACE(lock_release, &kernel_flag, "kernel_flag");
    /* A, with lock_kernel. */
    __atomic_store_n(&kernel_flag, 0, __ATOMIC_RELEASE);
}
