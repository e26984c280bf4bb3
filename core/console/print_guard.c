/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See print_guard.h. Not a spinlock: an interrupt on the CPU that prints may print in between, and
 * lock events would tell of their own report.
 */
#include "core/console/print_guard.h"

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "core/sched/preempt.h"

static uint32_t owner; /* [A] the CPU that prints, + 1; 0: none */
static unsigned depth; /* [owner] */
static bool broken;    /* [A] */

void print_guard_enter(void)
{
    uint32_t me, nobody = 0;

    preempt_off();
    me = arch_cpu_id() + 1;
    while (__atomic_load_n(&owner, __ATOMIC_RELAXED) != me &&
           !__atomic_compare_exchange_n(&owner, &nobody, me, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (__atomic_load_n(&broken, __ATOMIC_RELAXED))
            return;
        nobody = 0;
        arch_relax();
    }
    depth++;
}

void print_guard_leave(void)
{
    if (!__atomic_load_n(&broken, __ATOMIC_RELAXED) && --depth == 0)
        __atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
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
