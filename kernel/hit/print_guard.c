/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See print_guard.h. Not a spinlock: an interrupt may print while its CPU prints, and printing a
 * lock event would cause the next lock event.
 */
#include "kernel/hit/print_guard.h"

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "kernel/sched/preempt.h"

static uint32_t owner; /* [A] the CPU that prints, + 1; 0: none */
static unsigned depth; /* [owner] */
static bool broken;    /* [A] */

/* Turns interrupts off: a handler that prints would release the guard while it is being taken. */
static bool take(void)
{
    uint32_t me = arch_cpu_id() + 1, nobody = 0;
    uint64_t flags = arch_irq_save();
    bool ours =
        __atomic_load_n(&owner, __ATOMIC_RELAXED) == me ||
        __atomic_compare_exchange_n(&owner, &nobody, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);

    depth += ours;
    arch_irq_restore(flags);
    return ours;
}

void print_guard_enter(void)
{
    preempt_off();
    while (!__atomic_load_n(&broken, __ATOMIC_RELAXED) && !take())
        arch_relax();
}

void print_guard_leave(void)
{
    uint64_t flags = arch_irq_save();

    if (!__atomic_load_n(&broken, __ATOMIC_RELAXED) && --depth == 0)
        __atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
    arch_irq_restore(flags);
    preempt_on();
}

void print_guard_break(void)
{
    __atomic_store_n(&broken, true, __ATOMIC_RELAXED);
}

struct print_guard_kept print_guard_seize(void)
{
    struct print_guard_kept kept = {__atomic_load_n(&owner, __ATOMIC_ACQUIRE), depth};

    depth = 1;
    __atomic_store_n(&owner, arch_cpu_id() + 1, __ATOMIC_RELAXED);
    return kept;
}

void print_guard_give_back(const struct print_guard_kept *kept)
{
    depth = kept->depth;
    __atomic_store_n(&owner, kept->owner, __ATOMIC_RELEASE);
}
