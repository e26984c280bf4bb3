/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See command_owner.h. The functions are in .text.hit because a debugger's stop also calls them, to
 * claim for a waiting thread.
 */
#include "kernel/console/command_owner.h"

#include "arch/cpu.h"
#include "core/lib/assert.h"

static const struct thread *owner; /* [A] */
static const char *name;           /* [A] the owner's name; NULL: no owner */
static unsigned claims;            /* [owner] claims that were not released yet */

ARCH_HIT_TEXT bool command_owner_claim(const struct thread *thread, const char *who)
{
    const struct thread *nobody = NULL;

    if (!__atomic_compare_exchange_n(&owner, &nobody, thread, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED) &&
        nobody != thread)
        return false;
    if (claims++ == 0)
        __atomic_store_n(&name, who, __ATOMIC_RELAXED);
    return true;
}

ARCH_HIT_TEXT void command_owner_release(void)
{
    assert(claims > 0);
    if (--claims > 0)
        return;
    __atomic_store_n(&name, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&owner, NULL, __ATOMIC_RELEASE);
}

ARCH_HIT_TEXT const char *command_owner_name(void)
{
    const char *who = __atomic_load_n(&name, __ATOMIC_RELAXED);

    return who ? who : "nobody";
}
